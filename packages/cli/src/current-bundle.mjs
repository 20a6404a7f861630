import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The repository's root. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The folder of bundles, beside compiled code and where their native modules are found. Anyone who can change it can change the
 * program too.
 */
export const bundlesFolder = fileURLToPath(
  new URL('../../server/node_modules/.cache/bundle', import.meta.url),
);

/**
 * A description of the latest bundle, stored in `current.json`.
 * @typedef {object} BundleRecord
 * @property {string} root the repository's folder: the bundle contains paths of its files
 * @property {string} folder of the bundle, below `bundlesFolder`
 * @property {[path: string, bytes: number, mtimeMs: number][]} files its sources by paths from the root,
 *   with the lockfile instead of the packages' files
 */

/**
 * The URL of the bundle that `scripts/bundle.mjs` made from the sources. `undefined` if there is none, or
 * if a source has another size or time since: then the sources run.
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
    // There is no bundle, or it is unreadable. The sources run instead.
    return undefined;
  }
}

/** @param {BundleRecord['files'][number]} file */
function isUnchanged([path, bytes, mtimeMs]) {
  // `join` would take longer than the system call.
  const found = statSync(`${root}${path}`, { throwIfNoEntry: false });
  return found?.size === bytes && found.mtimeMs === mtimeMs;
}
