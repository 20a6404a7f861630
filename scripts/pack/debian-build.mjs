import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './root.mjs';

const run = promisify(execFile);

/** The program's folder; the same paths are in packaging/debian/ambit. */
export const program = 'usr/lib/ambit';

/**
 * Writes the Debian package of a staged folder. The same commit makes the same bytes.
 * @param {string} staged
 * @param {string} file
 */
export async function build(staged, file) {
  const seconds = await commitSeconds();
  await normalize(staged, seconds);
  await run('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', staged, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
  });
}

/**
 * 0.2.0~rc.1 comes before 0.2.0, and 0.2.0-rc.1 would come after it.
 * @param {string} version
 */
export function debianVersion(version) {
  return version.replace('-', '~');
}

/** @param {string} staged */
export async function installedKilobytes(staged) {
  const { stdout } = await run('du', ['-sk', '--apparent-size', '--exclude=DEBIAN', staged]);
  return /^\d+/.exec(stdout)?.[0];
}

/**
 * @param {string} file
 * @param {string} staged
 * @param {string} path from `staged`
 * @param {number} [mode]
 */
export async function place(file, staged, path, mode = 0o644) {
  const target = join(staged, path);
  await mkdir(dirname(target), { recursive: true });
  await cp(file, target);
  await chmod(target, mode);
}

/** The time of the commit, in seconds since 1970. */
async function commitSeconds() {
  const { stdout } = await run('git', ['log', '-1', '--format=%ct'], { cwd: root });
  return Number(stdout);
}

/**
 * Gives all files the same time, and modes that do not depend on this user's umask.
 * @param {string} folder
 * @param {number} seconds
 */
async function normalize(folder, seconds) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await normalize(path, seconds);
    else if (entry.isFile()) {
      const { mode } = await stat(path);
      await chmod(path, mode & 0o100 ? 0o755 : 0o644);
      await utimes(path, seconds, seconds);
    }
  }
  await chmod(folder, 0o755);
  await utimes(folder, seconds, seconds);
}
