import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publishedManifest, readManifest } from './manifest.mjs';
import { root } from './root.mjs';

/** @typedef {import('./manifest.mjs').Workspace} Workspace */

const folder = 'packages/python';

/**
 * Copies the Python interpreter into `staged` as it is published: the files that its manifest lists, with the licenses of
 * what they were built from.
 * @param {string} staged
 * @param {Workspace} workspace
 */
export async function stagePython(staged, workspace) {
  const manifest = await readManifest(folder);
  for (const file of manifest.files) await cp(join(root, folder, file), join(staged, file));
  const { exports, files, python } = manifest;
  const published = publishedManifest(manifest, workspace, { exports, files, python });
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
}
