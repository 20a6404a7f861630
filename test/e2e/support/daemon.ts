import { onTestFinished } from 'vitest';
import { type Daemon, daemonProcess } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export type { Daemon } from '../../support/daemon-process.ts';
export { temporaryFolder } from '../../support/temporary-folder.ts';

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
