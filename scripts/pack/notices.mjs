import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from './manifest.mjs';
import { root } from './root.mjs';

/**
 * The licences of the packages whose code is in a bundle: most licences require that their text goes with copies of
 * the code. Throws if a package names no licence.
 * @param {readonly string[]} folders of the packages, from the root of the repository
 */
export async function noticesOf(folders) {
  const parts = await Promise.all(folders.map(notice));
  return `This package contains code of these packages.\n${[...new Set(parts)].sort().join('')}`;
}

/** @param {string} folder */
async function notice(folder) {
  const { name, version, license } = await readManifest(folder);
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence in its package.json`);
  const files = (await readdir(join(root, folder)))
    .filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(join(root, folder, file), 'utf8')));
  const rule = '='.repeat(80);
  return `\n${rule}\n${name} ${version} (${license})\n${texts.map((text) => `\n${text.trim()}\n`).join('')}`;
}
