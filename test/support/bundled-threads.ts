import { join } from 'node:path';
import { threadProgram } from '../../scripts/bundled.mjs';

const location = new RegExp(`new URL\\(\\s*${threadProgram.source}\\s*\\)`);
const bundle = join(import.meta.dirname, 'bundle.ts');

/**
 * A Vite plugin: modules under test start the programs of their threads from the bundle, as a daemon
 * does. A thread from the sources takes five times as much processor time to start.
 */
export const bundledThreads = {
  name: 'bundled-threads',
  // Before types are removed, which changes the text.
  enforce: 'pre',
  transform(code: string): string | undefined {
    if (!location.test(code)) return undefined;
    const located = code.replace(location, (_, name) => `bundledProgram('${name}')`);
    // At the end, so that lines keep their numbers.
    return `${located}\nimport { bundledProgram } from ${JSON.stringify(bundle)};\n`;
  },
} as const;
