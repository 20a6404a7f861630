import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AnnouncedDaemon, announcedDaemon, processStart } from '../../../packages/client/src/node.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** The environment of commands whose daemons end soon after the last call. */
export const shortIdle = { AMBIT_IDLE: '1000' };

/** A configuration without a running daemon. */
export interface OnDemandWorld {
  /** The configuration file. */
  file: string;
  dataDir: string;
  /** Waits for the daemon that a command starts, if `isReady` accepts it. */
  daemon(isReady?: (daemon: AnnouncedDaemon) => boolean): Promise<AnnouncedDaemon>;
  /** Waits until no daemon runs. */
  ended(): Promise<void>;
}

/** Such a configuration with these skills, and more of its keys. A daemon that a command starts is ended with the test. */
export async function onDemandWorld(
  skills: Parameters<typeof writeSkills>[1],
  more: object = {},
): Promise<OnDemandWorld> {
  const folder = await temporaryFolder();
  const [file, dataDir, root] = [join(folder, 'ambit.yaml'), join(folder, 'data'), join(folder, 'skills')];
  await writeSkills(root, skills);
  const config = { bundledSkills: false, skills: [{ path: root, tier: 'local' }], dataDir, ...more };
  await writeFile(file, JSON.stringify(config));
  return {
    file,
    dataDir,
    daemon: (isReady = ({ socket }) => socket !== undefined) =>
      until(async () => {
        const daemon = await announcedDaemon(dataDir);
        return daemon !== null && isReady(daemon) && daemon;
      }),
    ended: async () => void (await until(async () => (await announcedDaemon(dataDir)) === null)),
  };
}

/** Ends the daemon that a command has started for a data directory, if one runs. */
export async function endOnDemand(dataDir: string): Promise<void> {
  const daemon = await announcedDaemon(dataDir);
  if (daemon?.onDemand !== true || !(await isAlive(daemon.pid))) return;
  process.kill(daemon.pid, 'SIGKILL');
  await until(async () => !(await isAlive(daemon.pid)));
}

/** Whether a process runs. A process that has ended does not, even if its parent has not waited for it. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await processStart(pid)) !== undefined;
}
