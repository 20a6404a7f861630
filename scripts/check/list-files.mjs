import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The repository's files, relative and sorted: everything that is committed or would be. In an
 * unpacked archive without git, the files of the folder that .gitignore does not exclude.
 * @param {string} root
 * @returns {string[]}
 */
export function listFiles(root) {
  return (listedByGit(root) ?? listedByFolder(root)).filter((file) => isFile(join(root, file))).sort();
}

/** @param {string} root */
function listedByGit(root) {
  const args = ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  try {
    const output = execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...new Set(output.split('\0').filter(Boolean))];
  } catch {
    return undefined; // git or the repository is missing
  }
}

/** @param {string} root */
function listedByFolder(root) {
  const lines = readFileSync(join(root, '.gitignore'), 'utf8').split('\n').filter(Boolean);
  const ignored = (/** @type {string} */ name) =>
    name === '.git' ||
    lines.some((line) => (line.startsWith('*') ? name.endsWith(line.slice(1)) : `${name}/` === line));
  /** @type {(folder: string) => string[]} */
  const walk = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => !ignored(entry.name))
      .flatMap((entry) => {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        return entry.isDirectory() ? walk(path) : [path];
      });
  return walk('');
}

/**
 * Excludes links, and deleted files whose deletion is not committed.
 * @param {string} path
 */
function isFile(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
