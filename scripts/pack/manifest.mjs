import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * A package.json, as far as packing reads it.
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {string} license
 * @property {Record<string, string>} [exports] subpaths and their modules in `src`
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [dependencies]
 */

/**
 * The package.json of the repository, as far as packing reads it.
 * @typedef {object} Workspace
 * @property {string} version
 * @property {string} license
 * @property {{ node: string }} engines
 * @property {string} [repository] its address on a forge, such as `https://forge.example.org/ambit/ambit`
 */

/**
 * @param {string} folder from the root of the repository
 * @returns {Promise<any>}
 */
export async function readManifest(folder) {
  return JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
}

/**
 * The package.json that is published: all packages have the version of the workspace and need each other in exactly
 * this version, because they share formats and are tested together.
 * @param {Manifest} manifest of the package in the repository
 * @param {Workspace} workspace
 * @param {object} published what differs: where its files are
 * @returns {Record<string, unknown>}
 */
export function publishedManifest(manifest, { version, engines, repository }, published) {
  if (manifest.version !== version)
    throw new Error(
      `${manifest.name} has version ${manifest.version} and the workspace ${version}; all packages have one version`,
    );
  const {
    name,
    description,
    license,
    type,
    sideEffects,
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
  } = /** @type {Manifest & Record<string, unknown>} */ (manifest);
  if (description === undefined) throw new Error(`${name} needs a description in its package.json`);
  return {
    name,
    version,
    description,
    license,
    type,
    sideEffects,
    repository: repository === undefined ? undefined : { type: 'git', url: `git+${repository}.git` },
    engines,
    ...published,
    peerDependencies,
    peerDependenciesMeta,
    dependencies: exactly(dependencies ?? {}, version),
  };
}

/**
 * Dependencies as they are published; `undefined` if there are none.
 * @param {Record<string, string>} dependencies
 * @param {string} version
 */
function exactly(dependencies, version) {
  const named = Object.entries(dependencies);
  if (named.length === 0) return undefined;
  return Object.fromEntries(
    named.map(([name, range]) => [name, range.startsWith('workspace:') ? version : range]),
  );
}
