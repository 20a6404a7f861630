import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { processStart } from '../../packages/client/src/node.ts';

/** Set once a test has run a command, which may have started a daemon on demand. */
export const commands = { haveRun: false };

/** Ends the daemons that commands have started for data directories in a folder, or in any folder of a home. */
export async function endDaemons(place: { folder: string } | { home: string }): Promise<void> {
  const pids = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number));
  const found = await Promise.all(pids.map(async (pid) => ((await isIn(pid, place)) ? [pid] : [])));
  await Promise.all(found.flat().map(end));
}

async function isIn(pid: number, place: { folder: string } | { home: string }): Promise<boolean> {
  try {
    // A daemon on demand runs in its data directory.
    if ('folder' in place && !`${await readlink(`/proc/${pid}/cwd`)}/`.startsWith(`${place.folder}/`))
      return false;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
    if (!words.includes('--on-demand')) return false;
    return (
      'folder' in place || (await readFile(`/proc/${pid}/environ`, 'utf8')).includes(`HOME=${place.home}\0`)
    );
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}

async function end(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  // Its parent may not wait for it.
  while ((await processStart(pid)) !== undefined) await delay(5);
}
