import { execFile, spawn } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCgroup } from '../support/remove-cgroup.ts';

/** A container engine with its own storage. */
export interface Engine {
  name: 'docker' | 'podman';
  /** Runs its command to the end. */
  run(args: readonly string[], options?: { input?: NodeJS.ReadableStream }): Promise<Ended>;
  /** Makes the image `tag` from the files of `tree`. */
  import(tree: string, tag: string): Promise<void>;
  /** The options of `build` that this engine needs here. */
  buildOptions: readonly string[];
  /** The security option that shows a container all of /proc. */
  unmask: string;
  /** The error of bubblewrap under its default seccomp profile. */
  defaultProfileError: string;
  /** Waits until a container is healthy. */
  healthy(container: string): Promise<boolean>;
  /** Ends all of its containers, and deletes its storage. */
  end(): Promise<void>;
}

/** The end of a command. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Containers get a cgroup below this one, which the end removes. */
const cgroup = 'ambit-image-test';

/** Within the limits of ordinary users. The defaults of both engines are higher than some machines allow. */
const limits = ['nofile=4096:4096', 'nproc=4096:4096'].flatMap((limit) => ['--ulimit', limit]);

/** Podman, with options that work without systemd and inside other containers. */
export async function podman(folder: string): Promise<Engine> {
  const storage = [
    ...['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver=overlay'],
    ...['--cgroup-manager=cgroupfs', '--runtime=runc', '--log-level=fatal'],
  ];
  const run: Engine['run'] = ([command = '', ...args], options) => {
    const more = ['run', 'build'].includes(command) ? [...limits, `--cgroup-parent=/${cgroup}`] : [];
    return ended('podman', [...storage, command, ...more, ...args], options);
  };
  return {
    name: 'podman',
    run,
    unmask: 'unmask=/proc/*',
    buildOptions: ['--layers=false', '--format=docker', '--network=host'],
    defaultProfileError: "bwrap: Can't set hostname to ambit: Operation not permitted",
    import: (tree, tag) => imported(run, tree, tag),
    healthy: async (container) => (await run(['healthcheck', 'run', container])).code === 0,
    async end() {
      await run(['rm', '--all', '--force', '--time=0']);
      await removeCgroups();
    },
  };
}

/** The daemon of Docker, started here; `undefined` if it is not installed. */
export async function docker(folder: string): Promise<Engine | undefined> {
  if ((await ended('dockerd', ['--version'])).code !== 0) return undefined;
  const socket = `unix://${join(folder, 'socket')}`;
  const log = await open(join(folder, 'log'), 'a');
  // Its mounts end with it.
  const daemon = spawn(
    'unshare',
    [
      ...['--mount', 'dockerd'],
      ...['--host', socket, '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
      ...['--pidfile', join(folder, 'pid'), '--storage-driver=overlay', `--cgroup-parent=/${cgroup}`],
      ...['--exec-opt', 'native.cgroupdriver=cgroupfs', '--bridge=none', '--iptables=false'],
      ...['--ip-forward=false', '--log-level=error'],
    ],
    { stdio: ['ignore', 'ignore', log.fd] },
  );
  await log.close();
  const hasEnded = new Promise<void>((resolve) => void daemon.once('exit', () => resolve()));
  const run: Engine['run'] = ([command = '', ...args], options) =>
    ended('docker', ['--host', socket, command, ...(command === 'run' ? limits : []), ...args], options);
  while ((await run(['version'])).code !== 0)
    if (daemon.exitCode !== null)
      throw new Error(`dockerd ended:\n${await readFile(join(folder, 'log'), 'utf8')}`);
  return {
    name: 'docker',
    run,
    unmask: 'systempaths=unconfined',
    buildOptions: ['--network=host', '--force-rm'],
    defaultProfileError: 'bwrap: No permissions to create new namespace',
    import: (tree, tag) => imported(run, tree, tag),
    async healthy(container) {
      const { stdout } = await run(['inspect', '--format', '{{.State.Health.Status}}', container]);
      return stdout.trim() === 'healthy';
    },
    async end() {
      const { stdout } = await run(['ps', '--all', '--quiet']);
      const ids = stdout.split('\n').filter((id) => id !== '');
      if (ids.length > 0) await run(['rm', '--force', ...ids]);
      daemon.kill();
      await hasEnded;
      await removeCgroups();
    },
  };
}

async function imported(run: Engine['run'], tree: string, tag: string): Promise<void> {
  const tar = spawn('tar', ['-C', tree, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { code, stderr } = await run(['import', '-', tag], { input: tar.stdout });
  if (code !== 0) throw new Error(`the base image was not imported: ${stderr}`);
}

function ended(
  program: string,
  args: readonly string[],
  { input }: { input?: NodeJS.ReadableStream } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, DOCKER_BUILDKIT: '0' } };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      // A string, such as ENOENT, if it did not start.
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 127;
      resolve({ code, stdout, stderr });
    });
    if (child.stdin === null) return;
    child.stdin.on('error', () => undefined);
    if (input === undefined) child.stdin.end();
    else input.pipe(child.stdin);
  });
}

/** In cgroup v1 there is one for each controller. */
async function removeCgroups(): Promise<void> {
  const root = '/sys/fs/cgroup';
  const parents = [root, ...(await readdir(root)).map((name) => join(root, name))];
  for (const parent of parents) await removeCgroup(join(parent, cgroup));
}
