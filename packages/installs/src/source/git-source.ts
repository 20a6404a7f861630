import { chown } from 'node:fs/promises';
import {
  egressBounds,
  gitEnvironment,
  hostProgram,
  proxyAccess,
  runInSandbox,
  type Sandbox,
  type SandboxedRun,
} from '@ambit/runtime';
import { InstallError } from '../install-error.ts';
import { fetchMs, type InstallNetwork, networkOf, notAllowed } from './install-network.ts';
import type { Source, SourceEntry } from './source.ts';
import { targetBytesMax } from './source-bounds.ts';

/** The dependencies and options of reading a repository. */
export interface GitOptions extends InstallNetwork {
  sandbox: Sandbox;
  /** An empty folder for the objects, which the caller removes. */
  folder: string;
  /** For everything that git does. */
  signal: AbortSignal;
}

/** A commit of a repository. */
export interface GitSource extends Source {
  /** The full hash of the commit. */
  commit: string;
  /** The folder of the place; see `GitPlace.refOrFolder`. */
  folder: string | undefined;
}

/** The repository, the commit and the folder to fetch. */
export interface GitPlace {
  /** `https://…`, or `http://` on loopback. */
  url: string;
  /** A branch, a tag or a full commit hash; absent: the repository's default branch. */
  ref?: string | undefined;
  /** See `ParsedSource`. Absent: what `ref` is now. */
  commit?: string | undefined;
  /** A folder in it; absent: all of it. */
  folder?: string | undefined;
  /** See `ParsedSource`. Absent: `ref` and `folder` are known. */
  refOrFolder?: string | undefined;
}

const fullHash = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/;
const mebibyte = 1024 * 1024;
const limits = { memoryBytes: 1024 * mebibyte, processes: 64, fileBytes: 1024 * mebibyte };
/** One run of git reads contents up to this size, or a single larger file. */
const batchBytes = 64 * mebibyte;

/**
 * Fetches one commit of a repository without its history, and nothing of it is checked out: no hook, no filter and no
 * attribute has an effect. git runs in the sandbox and reaches the network through the egress proxy. Rejects with an
 * `InstallError`, and with `SANDBOX_UNAVAILABLE`.
 */
export async function gitSource(place: GitPlace, options: GitOptions): Promise<GitSource> {
  const { url } = place;
  const unusable = [place.ref ?? 'HEAD', place.commit ?? 'HEAD'].find((name) => !isRef(name));
  if (unusable !== undefined)
    throw new InstallError(
      'SOURCE_UNSUPPORTED',
      `${JSON.stringify(unusable.slice(0, 100))} is not a branch, a tag or a commit`,
    );
  const { hostUser } = options.sandbox;
  if (hostUser !== undefined) await chown(options.folder, hostUser, hostUser);
  const run = (args: readonly string[], given: Partial<GitRun> = {}): Promise<SandboxedRun> =>
    git(args, { ...options, url, ...given });
  await run(['init', '--quiet', '--bare', repository]);
  const { ref, folder } = await located(place, run);
  await run(
    ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--', url, `${ref}:${fetched}`],
    {
      isOnline: true,
    },
  );
  const commit = textOf(await run(['rev-parse', '--verify', `${fetched}^{commit}`])).trim();
  if (!fullHash.test(commit) || (fullHash.test(ref) && commit !== ref))
    throw new InstallError(
      'SOURCE_DAMAGED',
      `${url} sent the commit ${commit}, not ${ref}; nothing was used`,
    );
  return {
    commit,
    folder,
    async *entries(wanted = () => false) {
      const listed = await run(['ls-tree', '-r', '-z', '--long', '--full-tree', commit], {
        outputBytes: 64 * mebibyte,
      });
      const entries = textOf(listed).split('\0').filter(Boolean).map(listedEntry);
      const contents = contentsOf(
        entries.filter((entry, place) => isRead(entry, wanted(place))),
        run,
      );
      for (const [place, entry] of entries.entries()) {
        const content = isRead(entry, wanted(place))
          ? ((await contents.next()).value as Uint8Array)
          : undefined;
        yield sourceEntry(entry, content);
      }
    },
  };
}

/** Whether git could have a branch or tag of this name. */
function isRef(name: string): boolean {
  return /^[^-\s~^:?*[\\][^\s~^:?*[\\]*$/.test(name) && !name.includes('..');
}

/** More folders are in no branch's name. */
const refPartsMax = 16;

/** Finds the end of a branch's name in the address that a browser shows: of the longest that the repository has. */
async function located(
  { url, ref: named = 'HEAD', commit, folder, refOrFolder }: GitPlace,
  run: (args: readonly string[], given: Partial<GitRun>) => Promise<SandboxedRun>,
): Promise<{ ref: string; folder: string | undefined }> {
  const ref = commit ?? named;
  if (refOrFolder === undefined || fullHash.test(named)) return { ref, folder };
  const parts = refOrFolder.split('/');
  const candidates = parts
    .slice(0, refPartsMax)
    .map((_, at) => parts.slice(0, at + 1).join('/'))
    .filter(isRef);
  const patterns = candidates.flatMap((name) => [`refs/heads/${name}`, `refs/tags/${name}`]);
  const listed = await run(['ls-remote', '--quiet', '--', url, ...patterns], {
    isOnline: true,
    outputBytes: mebibyte,
  });
  const names = textOf(listed)
    .split('\n')
    .map((line) => line.replace(/^\S*\s+refs\/(?:heads|tags)\//, ''));
  const found = candidates.findLast((name) => names.includes(name));
  // The commit of a branch that is gone by now may still be there.
  if (found === undefined && commit !== undefined) return { ref, folder };
  if (found === undefined)
    throw new InstallError(
      'SOURCE_UNREACHABLE',
      `${url} has no branch or tag with which ${JSON.stringify(refOrFolder.slice(0, 200))} begins; write REPOSITORY#REF:FOLDER`,
    );
  return { ref: commit ?? found, folder: refOrFolder.slice(found.length + 1) };
}

const repository = '/repository';
const fetched = 'refs/ambit/fetched';

interface TreeEntry {
  type: string;
  hash: string;
  bytes: number;
  path: string;
  isLink: boolean;
  isExecutable: boolean;
}

/** `100644 blob HASH    SIZE\tPATH` */
function listedEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', type = '', hash = '', size = ''] = line.slice(0, tab).split(/ +/);
  return {
    type,
    hash,
    bytes: Number(size) || 0,
    path: line.slice(tab + 1),
    isLink: mode === '120000',
    isExecutable: mode === '100755',
  };
}

function sourceEntry(entry: TreeEntry, content: Uint8Array | undefined): SourceEntry {
  const { path, bytes, isExecutable } = entry;
  const read = async (): Promise<Uint8Array> => content ?? new Uint8Array();
  if (entry.isLink && content === undefined) return { path, kind: 'special', bytes, isExecutable, read };
  if (entry.isLink)
    return {
      path,
      kind: 'symlink',
      bytes,
      isExecutable,
      target: Buffer.from(content ?? []).toString(),
      read,
    };
  // A submodule has no files here.
  return { path, kind: entry.type === 'blob' ? 'file' : 'folder', bytes, isExecutable, read };
}

/** A link's content is its target. A longer one is no path, and is not read into memory. */
function isRead({ type, isLink, bytes }: TreeEntry, isWanted: boolean): boolean {
  return type === 'blob' && (isLink ? bytes <= targetBytesMax : isWanted);
}

/** The contents of blobs in their order, in batches. */
async function* contentsOf(
  blobs: readonly TreeEntry[],
  run: (args: readonly string[], given: Partial<GitRun>) => Promise<SandboxedRun>,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < blobs.length; ) {
    let [to, bytes] = [from, 0];
    do bytes += (blobs[to]?.bytes ?? 0) + 200;
    while (++to < blobs.length && bytes + (blobs[to]?.bytes ?? 0) < batchBytes);
    const batch = blobs.slice(from, to);
    const { stdout } = await run(['cat-file', '--batch'], {
      stdin: Buffer.from(batch.map(({ hash }) => `${hash}\n`).join('')),
      outputBytes: bytes,
    });
    let at = 0;
    for (const blob of batch) {
      // `HASH blob SIZE`, a line break, the content, a line break.
      const start = stdout.indexOf(10, at) + 1;
      const content = stdout.subarray(start, start + blob.bytes);
      if (start === 0 || content.length !== blob.bytes)
        throw new InstallError(
          'SOURCE_DAMAGED',
          `git did not return ${JSON.stringify(blob.path)}; try again`,
        );
      yield content;
      at = start + blob.bytes + 1;
    }
    from = to;
  }
}

interface GitRun extends GitOptions {
  url: string;
  isOnline?: boolean;
  stdin?: Uint8Array;
  outputBytes?: number;
}

async function git(args: readonly string[], given: GitRun): Promise<SandboxedRun> {
  const { sandbox, folder, signal, isOnline = false, stdin = new Uint8Array(), outputBytes = 65_536 } = given;
  const program = hostProgram('git', 'Reading a repository');
  const proxy = isOnline ? await networkOf(given) : undefined;
  try {
    const access =
      proxy &&
      proxyAccess({
        certificates: await given.egress.certificates(),
        connectionsMax: egressBounds.connections,
        placeholders: {},
      });
    const command = {
      argv: [program.path, '--no-pager', ...args] as [string, ...string[]],
      env: { ...environment, ...access?.env },
      cwd: repository,
      mounts: [...program.mounts, { source: folder, target: repository, writable: true }],
      links: program.links,
      ownsFiles: true,
      contents: { ...access?.contents },
      proxy: access?.proxy,
    };
    const run = await runInSandbox(
      sandbox,
      { command, limits: { ...limits, cpuMs: fetchMs } },
      { stdin, timeoutMs: fetchMs, outputBytes, serve: proxy?.serve },
      signal,
    );
    signal.throwIfAborted();
    const denied = proxy?.denials()[0];
    if (denied !== undefined) throw notAllowed(denied);
    if (run.end.status !== 'exited' || run.end.exitCode !== 0) throw failed(run, given);
    return run;
  } finally {
    proxy?.close();
  }
}

function failed({ end, stderr }: SandboxedRun, { url, folder, isOnline = false }: GitRun): Error {
  if (end.status === 'output-too-large' || end.status === 'out-of-memory')
    return new InstallError(
      'SOURCE_TOO_LARGE',
      `${url} is too large for git: ${end.status}; name a smaller repository`,
    );
  const lines = Buffer.from(stderr).toString().trim().split('\n');
  const said = lines.find((line) => /^(fatal|error|remote): /.test(line)) ?? lines.at(-1) ?? '';
  const why = end.status === 'exited' ? said.replace(/^(fatal|error): /, '').slice(0, 500) : end.status;
  if (/No space left on device/.test(why))
    return Object.assign(new Error(why), { code: 'ENOSPC', syscall: 'write', path: folder });
  return new InstallError(
    isOnline &&
      !/^object [0-9a-f]+: |fsck|did not match|corrupt|bad object|invalid index-pack|hash mismatch/i.test(why)
      ? 'SOURCE_UNREACHABLE'
      : 'SOURCE_DAMAGED',
    `git could not read ${url}: ${why}`,
  );
}

function textOf({ stdout }: SandboxedRun): string {
  return Buffer.from(stdout).toString();
}

const environment = {
  ...gitEnvironment(repository, {
    'core.hooksPath': '/dev/null',
    'core.quotePath': 'false',
    'credential.helper': '',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    'protocol.version': '2',
    'fetch.fsckObjects': 'true',
    'transfer.fsckObjects': 'true',
    'fetch.unpackLimit': '1',
    'submodule.recurse': 'false',
  }),
  GIT_ALLOW_PROTOCOL: 'http:https',
};
