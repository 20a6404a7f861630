import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { removeCgroup } from '../support/remove-cgroup.ts';

/** For a start on a busy machine. */
const bootSecondsMax = 120;

/** The output of a command, without the last line feed. */
export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

/** A Debian that systemd runs, in namespaces of its own and without network. */
export interface Machine {
  /** Its files, from outside. */
  folder: string;
  /** Runs a script of the shell in it, as root. */
  run(script: string): Promise<Printed>;
  /** Shuts it down. */
  end(): Promise<void>;
}

/**
 * Boots the Debian tree in a folder with systemd-nspawn, which needs root; `log` gets the output of its console. Resolves when
 * all its services have started. It has its own mounts and cgroups, and leaves none behind.
 */
export async function bootMachine(folder: string, log: string): Promise<Machine> {
  const cgroups = await ownCgroups(basename(folder));
  // The shell enters the cgroups, and then becomes the program.
  const enter = cgroups.map((cgroup) => `echo $$ > ${cgroup}/cgroup.procs`).join(' && ');
  const nspawn = [
    ...['systemd-nspawn', '--quiet', '--boot', `--directory=${folder}`, '--private-network'],
    ...['--register=no', '--keep-unit', '--console=read-only', '--link-journal=no'],
  ];
  const output = openSync(log, 'w');
  const child = spawn(
    'sh',
    ['-c', `${enter}; exec unshare --mount --propagation private -- "$@"`, 'sh', ...nspawn],
    { stdio: ['ignore', output, output] },
  );
  const ended = once(child, 'exit');
  const remove = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    for (const cgroup of cgroups) await removeCgroup(cgroup);
  };
  try {
    const init = await firstProcess(child.pid as number, log);
    const run = (script: string) => runIn(init, script);
    await untilBooted(run, log);
    return {
      folder,
      run,
      async end() {
        await run('systemctl poweroff');
        await Promise.race([ended, delay(30_000, undefined, { ref: false })]);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Cgroups for a machine, one in each hierarchy that systemd-nspawn uses. */
async function ownCgroups(name: string): Promise<string[]> {
  const hierarchies = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd'];
  const cgroups = hierarchies
    .filter((each) => existsSync(join(each, 'cgroup.procs')))
    .map((each) => join(each, name));
  for (const cgroup of cgroups) await mkdir(cgroup);
  return cgroups;
}

/** The process outside that is process 1 inside. */
async function firstProcess(nspawn: number, log: string): Promise<number> {
  for (const end = Date.now() + bootSecondsMax * 1000; Date.now() < end; await delay(100)) {
    const children = await readFile(`/proc/${nspawn}/task/${nspawn}/children`, 'utf8').catch(() => undefined);
    if (children === undefined) break;
    for (const pid of children.split(' ').filter((each) => each !== '')) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      if (/^NSpid:\t\d+\t1$/m.test(status)) return Number(pid);
    }
  }
  throw new Error(`systemd-nspawn did not start:\n${await readFile(log, 'utf8')}`);
}

async function untilBooted(run: Machine['run'], log: string): Promise<void> {
  let state = '';
  for (const end = Date.now() + bootSecondsMax * 1000; Date.now() < end; await delay(200)) {
    state = (await run('systemctl is-system-running')).stdout;
    if (state === 'running') return;
    if (state === 'degraded') break;
  }
  const { stdout } = await run('systemctl --failed');
  throw new Error(`the machine is ${state}:\n${stdout}\n${await readFile(log, 'utf8')}`);
}

async function runIn(init: number, script: string): Promise<Printed> {
  const argv = ['--target', String(init), '--all', '--', '/bin/sh', '-c', script];
  const env = { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
  const options = { env, timeout: 300_000, maxBuffer: 16 * 1024 * 1024 };
  const printed = await promisify(execFile)('nsenter', argv, options).catch((error) => error);
  return {
    code: printed.code ?? (printed.signal == null ? 0 : 128),
    stdout: printed.stdout.trimEnd(),
    stderr: printed.stderr.trimEnd(),
  };
}
