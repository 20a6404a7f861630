import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

/** @typedef {{ name: string, version: string, license: string, dependencies?: Record<string, string> }} Described */

/**
 * The software bill of materials of the command, in CycloneDX 1.6: the packages whose code is in the bundle, and the
 * packages that npm installs beside it, in the versions that the tests run with. It has no time and no random number, so the same
 * commit makes the same file.
 * @param {Described} command
 * @param {readonly string[]} bundled folders of packages, from the root of the repository
 * @param {readonly string[]} installed names of packages that packages/runtime or packages/server needs
 */
export async function sbomOf(command, bundled, installed) {
  /** @type {Map<string, Described>} */
  const found = new Map();
  for (const folder of bundled) {
    const manifest = await read(join(root, folder, 'package.json'));
    found.set(purlOf(manifest), manifest);
  }
  const waiting = installed.map(installedFile);
  for (const file of waiting) {
    const manifest = await read(file);
    found.set(purlOf(manifest), manifest);
    for (const name of Object.keys(manifest.dependencies ?? {})) waiting.push(locatedFrom(name, file));
  }
  const components = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf('application', command) },
    components: components.map(([, manifest]) => componentOf('library', manifest)),
  };
}

/**
 * The package.json of a package that packages/runtime or packages/server needs.
 * @param {string} name
 */
export async function installedManifest(name) {
  return read(installedFile(name));
}

/**
 * The folder of a package that packages/runtime or packages/server needs.
 * @param {string} name
 * @returns {string}
 */
export function installedFolder(name) {
  return dirname(installedFile(name));
}

/** @param {string} name */
function installedFile(name) {
  try {
    return locatedFrom(name, join(root, 'packages/runtime/package.json'));
  } catch {
    return locatedFrom(name, join(root, 'packages/server/package.json'));
  }
}

/**
 * The package.json of a package. Throws if it is not installed.
 * @param {string} name
 * @param {string} from a file of the package that needs it
 * @returns {string}
 */
function locatedFrom(name, from) {
  const file = findPackageJSON(name, pathToFileURL(from));
  if (file === undefined) throw new Error(`${name}, which ${from} needs, is not installed`);
  // pnpm links packages, and their dependencies are beside the linked folder.
  return realpathSync(file);
}

/**
 * @param {string} file
 * @returns {Promise<Described>}
 */
async function read(file) {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** @param {Described} manifest */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * @param {'application' | 'library'} type
 * @param {Described} manifest
 */
function componentOf(type, manifest) {
  const { name, version, license } = manifest;
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence in its package.json`);
  const purl = purlOf(manifest);
  // An expression is valid for a single licence too.
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ expression: license.replace(/^\(|\)$/g, '') }],
  };
}
