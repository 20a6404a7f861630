import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Daemon, daemonProcess } from '../daemon-process.ts';
import { until } from '../until.ts';

const preload = new URL('signal-itself.mjs', import.meta.url);

/** A daemon that can send itself a signal in the middle of a call. */
export interface FaultyDaemon extends Daemon {
  /** From now on counts steps, and sends itself the signal at this one; see `signal-itself.mjs`. */
  arm(signal: 'SIGKILL' | 'SIGSTOP', step: number): Promise<void>;
  /** Makes it send no signal, and continue if it has stopped. */
  disarm(): Promise<void>;
  /** Waits until it has stopped, or `isOver`. Resolves to whether it has stopped. */
  stops(isOver: () => Promise<boolean>): Promise<boolean>;
}

/** Starts the daemon as `daemonProcess` does. */
export async function faultyDaemon(folder: string, config: object): Promise<FaultyDaemon> {
  const file = join(folder, 'fault');
  const daemon = await daemonProcess(folder, config, {
    nodeArgs: ['--import', preload.href],
    env: { FAULT_FILE: file },
  });
  const choose = async (fault: string): Promise<void> => {
    await writeFile(file, fault);
    const before = daemon.printed().length;
    daemon.signal('SIGUSR2');
    await until(async () => {
      if (await isStopped(daemon.pid)) daemon.signal('SIGCONT');
      return daemon.printed().includes('armed\n', before);
    });
  };
  return {
    ...daemon,
    arm: (signal, step) => choose(`${signal} ${step}`),
    disarm: () => choose('SIGCONT 0'),
    async stops(isOver) {
      const { stopped } = await until(async () => {
        const stopped = await isStopped(daemon.pid);
        return (stopped || (await isOver())) && { stopped };
      });
      return stopped;
    },
  };
}

/** See the state in `proc(5)`. */
async function isStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.charAt(stat.lastIndexOf(')') + 2) === 'T';
}
