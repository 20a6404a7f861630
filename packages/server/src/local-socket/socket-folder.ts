import { hash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, realpathSync, rmdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '@ambit/runtime';
import { Refusal } from '../errors/refusal.ts';

/** The name of the socket in its folder. */
const socketName = 'daemon.sock';

/** The limit of macOS; Linux allows four bytes more. */
const pathBytesMax = 103;

/**
 * The folders below which the sockets of this user's daemons are, to be hidden from skills. They need not exist. A daemon of a
 * service manager has another environment than one of a terminal, so the usual folder is always one of them.
 */
export function socketRoots(environment: Environment): string[] {
  const usual = `/run/user/${process.getuid?.()}`;
  const runtime = [environment['XDG_RUNTIME_DIR'], usual].flatMap((folder) => runtimeRoot(folder) ?? []);
  return [...new Set([...runtime, temporaryRoot()])];
}

/**
 * The folder for the socket of a data directory, which has to exist. It is outside the data directory and the project, because
 * containers mount those.
 */
export function socketFolder(dataDir: string, environment: Environment): string {
  const root = runtimeRoot(environment['XDG_RUNTIME_DIR']) ?? temporaryRoot();
  return join(root, folderName(realpathSync(dataDir)));
}

/** Not below `TMPDIR`, which differs between programs of one user. */
function temporaryRoot(): string {
  return `/tmp/ambit-${process.getuid?.() ?? 'user'}`;
}

/** `undefined` for a folder that is not this user's alone, or too deep for the path of a socket. */
function runtimeRoot(folder: string | undefined): string | undefined {
  if (folder === undefined || !isPrivate(folder)) return undefined;
  const root = join(folder, 'ambit');
  const longest = join(root, folderName(''), socketName);
  return Buffer.byteLength(longest) <= pathBytesMax ? root : undefined;
}

/** The path of a daemon's socket. */
export function socketIn(folder: string): string {
  return join(folder, socketName);
}

/**
 * Creates that folder and the one above it (mode 700), or checks the existing ones. Throws `ADDRESS_UNAVAILABLE` if either
 * is not a folder of this user's alone: another user can create any name in `/tmp`.
 */
export function createSocketFolder(folder: string): void {
  for (const each of [dirname(folder), folder]) {
    try {
      makePrivately(each);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST')
        throw unavailable(
          `cannot create ${each} (${(cause as Error).message})`,
          `Make ${dirname(each)} writable`,
          cause,
        );
    }
    const problem = problemWith(each, process.getuid?.());
    if (problem !== undefined)
      throw unavailable(
        `${each} ${problem}`,
        'Remove it, or set XDG_RUNTIME_DIR to another folder of yours with mode 700',
      );
  }
}

/** Creates the folders that are to be hidden from skills, if possible: a skill could create them, and wait for a daemon. */
export function createSocketRoots(environment: Environment): void {
  for (const root of socketRoots(environment)) {
    try {
      makePrivately(root);
    } catch {
      // It exists, or nothing can be created there.
    }
  }
}

/** Creates a folder of this user's alone, whatever the umask is. Throws `EEXIST`, also for a link. */
function makePrivately(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Removes the folder of a socket, unless something is in it. The one above it stays, so that skills never see it appear. */
export function removeSocketFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The next start uses it.
  }
}

/**
 * Whether a socket that a daemon announced is the one of its data directory, and in folders that only the owner of that
 * directory can change. A daemon in a container announces a path of its own.
 */
export function isSocketOf(dataDir: string, socket: string): boolean {
  try {
    const folder = dirname(socket);
    const { uid } = statSync(dataDir);
    return (
      basename(folder) === folderName(realpathSync(dataDir)) &&
      [dirname(folder), folder].every((each) => problemWith(each, uid) === undefined) &&
      lstatSync(socket).isSocket() &&
      lstatSync(socket).uid === uid
    );
  } catch {
    return false;
  }
}

/** Short, because the path of a socket is. */
function folderName(realPath: string): string {
  return hash('sha256', realPath).slice(0, 24);
}

function isPrivate(folder: string): boolean {
  if (!isAbsolute(folder)) return false;
  const found = statSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && whyNotPrivate(found, process.getuid?.()) === undefined;
}

/** The reason why a path is not a folder of this user's alone, such as a link to one. */
function problemWith(path: string, uid: number | undefined): string | undefined {
  const found = lstatSync(path);
  return found.isDirectory() ? whyNotPrivate(found, uid) : 'is not a folder';
}

function whyNotPrivate({ uid: owner, mode }: Stats, uid: number | undefined): string | undefined {
  if (owner !== uid) return `belongs to another user (uid ${owner})`;
  const bits = mode & 0o777;
  return bits === 0o700 ? undefined : `has the mode ${bits.toString(8)} instead of 700`;
}

/** The refusal of a private socket. */
export function unavailable(why: string, remedy: string, cause?: unknown): Refusal {
  return new Refusal(
    'ADDRESS_UNAVAILABLE',
    `cannot use the private socket of the command line: ${why}. ${remedy}, and start the daemon again`,
    { cause },
  );
}
