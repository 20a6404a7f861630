import { threadProgram } from '../../scripts/bundle.mjs';

/** The variable with the URL of the bundle's main program. */
export const bundleVariable = 'TEST_BUNDLE';

/**
 * A Vite plugin: modules under test start the programs of their threads from the bundle, as a daemon
 * does. A thread from the sources takes five times as much processor time to start.
 */
export const bundledThreads = {
  name: 'bundled-threads',
  // Before types are removed, which changes the text.
  enforce: 'pre',
  transform(code: string): string | undefined {
    if (!threadProgram.test(code)) return undefined;
    return code.replace(threadProgram, (_, name) => `'./${name}.mjs', process.env['${bundleVariable}'],`);
  },
} as const;
