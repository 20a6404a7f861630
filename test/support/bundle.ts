import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The variable with the URL of the main program of the run's bundle, which may have to be built. */
export const bundleVariable = 'TEST_BUNDLE';

/** The variable with the socket of the process that builds it. It answers when the bundle exists, with an error if it failed. */
export const builderVariable = 'TEST_BUNDLE_BUILDER';

/** Resolves when the run's bundle exists: the first that asks for it starts the build. */
export async function bundleBuilt(): Promise<void> {
  if (existsSync(fileURLToPath(ofRun(bundleVariable)))) return;
  const error = await text(connect(ofRun(builderVariable)));
  if (error !== '') throw new Error(error);
}

/**
 * The program of a thread in the run's bundle, which is built when something uses the URL: most tests import modules that
 * have a thread and never start it.
 */
export function bundledProgram(name: string): URL {
  const url = new URL(`./${name}.mjs`, ofRun(bundleVariable));
  const { href } = url;
  return Object.defineProperty(url, 'href', {
    get() {
      if (!existsSync(fileURLToPath(href))) waitForBundle();
      return href;
    },
  });
}

/** For a constructor, which cannot wait for a promise. */
function waitForBundle(): void {
  const asking = "require('node:net').connect(process.argv[1]).pipe(process.stdout)";
  const error = execFileSync(process.execPath, ['-e', asking, ofRun(builderVariable)], { encoding: 'utf8' });
  if (error !== '') throw new Error(error);
}

function ofRun(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: only vitest runs this`);
  return value;
}
