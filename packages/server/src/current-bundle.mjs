import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The repository's root. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where bundles are: beside what is compiled, where whoever could write to it could write the program as well. */
export const bundlesFolder = fileURLToPath(new URL('../node_modules/.cache/bundle', import.meta.url));

/**
 * What is known of the latest bundle, in `current.json`.
 * @typedef {object} BundleRecord
 * @property {string} root where the repository was: the bundle names its files by their paths
 * @property {string} folder of the bundle, below `bundlesFolder`
 * @property {[path: string, bytes: number, mtimeMs: number][]} files what it was made of, by paths from the root: our
 *   sources, and the lockfile in place of the packages' files
 */

/**
 * The program in few files, made of its sources by `scripts/bundle.mjs`: its URL, when each of the files that it was made of
 * is as it was then, by size and time. `undefined` when one is not, or none was made: the sources are the program.
 * @param {string} [folder]
 * @returns {string | undefined}
 */
export function currentBundle(folder = bundlesFolder) {
  const record = recordIn(folder);
  if (record?.root !== root || !record.files.every(isUnchanged)) return undefined;
  return pathToFileURL(join(folder, record.folder, 'main.mjs')).href;
}

/**
 * @param {string} folder
 * @returns {BundleRecord | undefined}
 */
function recordIn(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'));
  } catch {
    // None was made, or it cannot be read: either way the sources are there.
    return undefined;
  }
}

/** @param {BundleRecord['files'][number]} file */
function isUnchanged([path, bytes, mtimeMs]) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  return found?.size === bytes && found.mtimeMs === mtimeMs;
}
