import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Daemon, daemonProcess } from './daemon-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The real daemon with its own data directory. It is stopped when the test ends. */
export async function startDaemon(
  config: object = {},
  options: Parameters<typeof daemonProcess>[2] = {},
): Promise<Daemon> {
  const daemon = await daemonProcess(await temporaryFolder(), config, options);
  onTestFinished(async () => {
    await daemon.stop('SIGKILL');
  });
  return daemon;
}

/**
 * Returns the daemon that all tests of the calling file share. It starts before the first test, with
 * the configuration that `configure` returns for a folder of skills.
 */
export function sharedDaemon(
  configure: (skills: string) => object | Promise<object> = () => ({}),
  options: Parameters<typeof daemonProcess>[2] = {},
): () => Daemon {
  let folder: string | undefined;
  let daemon: Daemon | undefined;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'ambit-test-')));
    const skills = join(folder, 'skills');
    await mkdir(skills);
    daemon = await daemonProcess(folder, await configure(skills), options);
  });
  // Not a cleanup of `beforeAll`, which runs after the file's processor time is measured.
  afterAll(async () => {
    await daemon?.stop('SIGKILL');
    if (folder !== undefined) await rm(folder, { recursive: true });
  });
  return () => {
    if (daemon === undefined) throw new Error('the shared daemon has not started');
    return daemon;
  };
}
