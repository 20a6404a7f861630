/** @import { SkillFiles } from '../wasi/files/skill-folder.mjs' */

/**
 * The files of a skill. The host has some of them, and the daemon has the others.
 *
 * @param {readonly { path: string, bytes: number }[]} list
 * @param {ReadonlyMap<string, Uint8Array>} held
 * @param {SkillFiles} others
 * @returns {SkillFiles}
 */
export function filesFrom(list, held, others) {
  return { list: () => list, read: (path) => held.get(path) ?? others.read(path) };
}

/**
 * The names that a skill's files can have as modules and packages, wherever they are imported from. A
 * folder without Python is none of them: a package of the standard library comes before it.
 *
 * @param {readonly string[]} paths
 */
export function modulesOf(paths) {
  const names = paths
    .filter((path) => /\.pyc?$/.test(path))
    .flatMap((path) => path.replace(/\.pyc?$/, '').split('/'));
  return [...new Set(names)].filter((name) => /^\w+$/u.test(name));
}
