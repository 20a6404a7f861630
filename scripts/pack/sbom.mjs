import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
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
  const waiting = installed.flatMap((name) => located(name, ['packages/runtime/', 'packages/server/']));
  for (const file of waiting) {
    const manifest = await read(file);
    found.set(purlOf(manifest), manifest);
    for (const name of Object.keys(manifest.dependencies ?? {})) waiting.push(...locatedFrom(name, file));
  }
  const components = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: { component: componentOf('application', command) },
    components: components.map(([, manifest]) => componentOf('library', manifest)),
  };
}

/**
 * @param {string} name
 * @param {readonly string[]} folders of packages that may need it
 */
function located(name, folders) {
  const files = folders.flatMap((folder) => locatedFrom(name, join(root, folder)));
  if (files[0] === undefined) throw new Error(`${name} is not installed`);
  return [files[0]];
}

/**
 * @param {string} name
 * @param {string} from a file of the package that needs it
 * @returns {string[]} its package.json
 */
function locatedFrom(name, from) {
  try {
    const file = findPackageJSON(name, pathToFileURL(from));
    // pnpm links packages, and their dependencies are beside the linked folder.
    return file === undefined ? [] : [realpathSync(file)];
  } catch {
    return [];
  }
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
