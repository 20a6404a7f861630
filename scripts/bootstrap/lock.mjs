import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ageMsMax = 20 * 60_000;

/**
 * Runs the action while no other bootstrap of this repository runs one. The lock is a folder that
 * names its holder. If the holder has ended, the lock is taken over. If two processes hold it (a
 * reused pid, a shared disk), nothing breaks, because installs are prepared elsewhere and renamed
 * into place.
 * @template T
 * @param {string} root
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(root, action) {
  const folder = join(root, '.toolchain');
  const lock = join(folder, 'lock');
  mkdirSync(folder, { recursive: true });
  let announced = false;
  while (!acquire(folder, lock)) {
    if (isAbandoned(lock)) {
      removeAbandoned(lock);
      continue;
    }
    if (!announced) console.error('ambit: waiting for another bootstrap of this repository to finish');
    announced = true;
    await sleep(200);
  }
  try {
    return await action();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/**
 * The folder is renamed into place with its content, so a lock always names its holder.
 * @param {string} folder
 * @param {string} lock
 */
function acquire(folder, lock) {
  const mine = mkdtempSync(join(folder, 'lock-'));
  writeFileSync(join(mine, 'holder'), holder());
  try {
    renameSync(mine, lock);
    return true;
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? ''))
      return false;
    throw error;
  }
}

/** @param {string} lock */
function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > ageMsMax) return true;
    const [pid, host] = readFileSync(join(lock, 'holder'), 'utf8').split(' ');
    return host === hostname() && !isAlive(Number(pid));
  } catch {
    return false; // released just now
  }
}

/**
 * By rename, so only one of two processes that find the same abandoned lock removes it.
 * @param {string} lock
 */
function removeAbandoned(lock) {
  const aside = `${lock}-abandoned-${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return; // another process was faster
  }
  rmSync(aside, { recursive: true, force: true });
}

function holder() {
  return `${process.pid} ${hostname()}`;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
