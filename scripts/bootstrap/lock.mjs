import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ageMsMax = 20 * 60_000;

/**
 * Runs the action while no other bootstrap of this repository runs its own. The lock is a folder that says who holds
 * it; one whose holder is gone is taken over. Should two hold it after all (a recycled pid, a shared disk), nothing
 * breaks: whatever is installed is made aside and renamed into place.
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
    if (abandoned(lock)) {
      takeAway(lock);
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
 * The folder is renamed into place with its content, so nobody ever sees a lock without its holder.
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
function abandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > ageMsMax) return true;
    const [pid, host] = readFileSync(join(lock, 'holder'), 'utf8').split(' ');
    return host === hostname() && !alive(Number(pid));
  } catch {
    return false; // released in this moment
  }
}

/**
 * By rename, so that of two that find the same dead holder only one removes it.
 * @param {string} lock
 */
function takeAway(lock) {
  const aside = `${lock}-abandoned-${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return; // another was quicker
  }
  rmSync(aside, { recursive: true, force: true });
}

function holder() {
  return `${process.pid} ${hostname()}`;
}

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
