import { constants } from 'node:fs';
import { chmod, chown, type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type CallProxy,
  egressBounds,
  type hostProgram,
  proxyAccess,
  runInSandbox,
  type SandboxedRun,
} from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { fetchMs } from '../source/install-network.ts';
import {
  type DependencyOptions,
  hostNotAllowed,
  indexNetwork,
  type PackageIndex,
} from './dependency-options.ts';

const mebibyte = 1024 * 1024;
const limits = { memoryBytes: 2048 * mebibyte, processes: 64, fileBytes: 1024 * mebibyte, cpuMs: fetchMs };

/** The path of `DependencyOptions.folder` in the sandbox. */
export const work = '/work';

/** A folder that one run can write, with a folder `left` for its results and one for temporary files. */
export async function workFolder(name: string, { folder, sandbox }: DependencyOptions): Promise<string> {
  const place = join(folder, name);
  for (const path of [place, join(place, 'left'), join(place, 'tmp')]) {
    await mkdir(path, { recursive: true });
    if (sandbox.hostUser !== undefined) await chown(path, sandbox.hostUser, sandbox.hostUser);
  }
  return place;
}

/** Writes a file that a run can read. */
export async function writeForRun(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content);
  await openToRun(path);
}

/** Lets a run, which may be another user's, read a file. A separate call, because the umask does not apply to it. */
export async function openToRun(path: string): Promise<void> {
  await chmod(path, 0o644);
}

/** Opens a file that a run has left. Nothing is followed, and only what is a file counts. */
export async function openLeftFile(place: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(place, flags).catch((cause: unknown) => {
    throw notAFile(place, cause);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notAFile(place);
}

/** The error for a result that is no file. */
export function notAFile(place: string, cause?: unknown): InstallError {
  return new InstallError(
    'SOURCE_DAMAGED',
    `a package replaced ${JSON.stringify(basename(place))} while it was built; its files were not used`,
    { cause },
  );
}

/** A program that fetches packages. */
export interface IndexProgram {
  /** Its key in the configuration. */
  key: 'python' | 'node';
  index: PackageIndex;
  program: Pick<ReturnType<typeof hostProgram>, 'mounts' | 'links'>;
  argv: (certificates: string) => readonly [string, ...string[]];
  env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program in the sandbox, where it can write to its folder and reaches only the index. `judge` gets the run, before the
 * proxy closes. Rejects with `SOURCE_NOT_ALLOWED` if the program asked for another host.
 */
export async function runAtIndex<Result>(
  { key, index, program, argv, env }: IndexProgram,
  { sandbox, folder, signal, ...options }: DependencyOptions,
  judge: (run: SandboxedRun, proxy: CallProxy) => Promise<Result>,
): Promise<Result> {
  const proxy = await indexNetwork(index, options);
  try {
    const access = proxyAccess({
      certificates: await options.egress.certificates(),
      connectionsMax: egressBounds.connections,
      placeholders: {},
    });
    const command = {
      argv: argv(access.env['SSL_CERT_FILE'] ?? ''),
      env: { PATH: '/usr/bin', HOME: '/tmp', TMPDIR: `${work}/tmp`, LANG: 'C.UTF-8', ...access.env, ...env },
      cwd: work,
      mounts: [...program.mounts, { source: folder, target: work, writable: true }],
      links: { '/bin': 'usr/bin', ...program.links },
      ownsFiles: true,
      contents: access.contents,
      proxy: access.proxy,
    };
    const run = await runInSandbox(
      sandbox,
      { command, limits },
      { stdin: new Uint8Array(), timeoutMs: fetchMs, outputBytes: mebibyte, serve: proxy.serve },
      signal,
    );
    signal.throwIfAborted();
    const denied = proxy.denials()[0];
    if (denied !== undefined) throw hostNotAllowed(key, index, denied);
    return await judge(run, proxy);
  } finally {
    proxy.close();
  }
}
