import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

/**
 * The standard library as a zip file of compiled modules, and Ambit's own modules.
 *
 * @param {string} packageFolder
 * @param {{ python: string }} sources
 * @param {string} folder
 */
export async function buildLibrary(packageFolder, sources, folder) {
  const path = join(folder, 'stdlib.zip');
  const script = fileURLToPath(new URL('stdlib.py', import.meta.url));
  await run('/usr/bin/python3.11', [
    '-I',
    script,
    join(sources.python, 'Lib'),
    path,
    join(packageFolder, 'lib'),
  ]);
  return await readFile(path);
}
