import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Daemon, daemonProcess } from '../../support/daemon-process.ts';

export type { Daemon } from '../../support/daemon-process.ts';

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-e2e-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

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
