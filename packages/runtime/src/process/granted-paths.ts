import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Grant } from '@ambit/core/execute';
import { thrownText } from '@ambit/core/outcome';
import { liesWithin } from '@ambit/core/policy';
import type { Mount } from './sandbox/sandbox.ts';
import { ownFolder } from './sandbox/sandbox.ts';
import { symlinksIn } from './symlinks-in.ts';

/** Paths that belong to the sandbox; a host path cannot be mounted over them. */
const reserved = [
  '/proc',
  '/dev',
  '/sys',
  '/usr',
  '/lib',
  '/lib64',
  '/bin',
  '/etc',
  '/skill',
  '/workspace',
  ownFolder,
];

/** Ambit's own paths on the host. Granting a folder around them grants everything else in it. */
export interface OwnPaths {
  /**
   * Empty inside: the data directory, with the keys and the audit log, and the folders of sockets. A folder that does
   * not exist is not granted either.
   */
  hidden: readonly string[];
  /**
   * Empty inside as well: the data directories that this user's other daemons and commands use, which give rights like the
   * one of this daemon. They are listed for each call, because commands create them. Absent: none.
   */
  otherDataDirs?(): Promise<readonly string[]>;
  /**
   * Never writable inside: the configuration, the skills, the program. A path that does not exist
   * yet could be created by a skill, and a symlink that leads to a protected path could be
   * replaced. A grant to write around either is therefore refused.
   */
  readOnly: readonly string[];
  /**
   * The same for paths that exist; skills may create the others. For folders with untrusted skills.
   * Absent: none.
   */
  readOnlyIfPresent?: readonly string[];
}

/** A grant's host paths, ready to mount. */
export interface GrantedPaths {
  mounts: Mount[];
  /** Folders inside that an empty folder hides. */
  hidden: string[];
}

/**
 * The mounts for the host paths of a grant, each at its own path. Symlinks are resolved here:
 * policy has compared only names. A path is refused unless its real path is within a path that the
 * operator granted.
 *
 * Throws `CAPABILITY_DENIED` for a path that does not exist, leads elsewhere, would hide a part of
 * the sandbox or is in a hidden folder; for a writable path in or around a protected one; and for
 * a path that `hostUser`, the host user of the program, cannot access. Throws `SANDBOX_UNAVAILABLE` if
 * it is unknown what to hide.
 */
export async function grantedMounts(
  { skill, capabilities, hostRoots, hostDenied }: Grant,
  { hostUser, own }: { hostUser: number | undefined; own: OwnPaths },
): Promise<GrantedPaths> {
  const { read, write } = capabilities.filesystem;
  // Most skills have none, and the checks below look up many paths.
  if (![...read, ...write].some((path) => path.startsWith('/'))) return { mounts: [], hidden: [] };
  const mounts: Mount[] = [];
  const otherDataDirs = await knownDataDirs(skill.id, own);
  const [hiddenPaths, denied, ownPaths, ifPresent] = await Promise.all([
    resolvePaths([...own.hidden, ...otherDataDirs]),
    realPaths(hostDenied),
    resolvePaths(own.readOnly),
    resolvePaths(own.readOnlyIfPresent ?? []),
  ]);
  const hidden = hiddenPaths.map(({ path }) => path);
  // The data directory is one of the user's as well.
  const hiddenPlaces = [...new Set(hiddenPaths.flatMap(({ path, exists }) => (exists ? [path] : [])))];
  const readOnly = [...ownPaths, ...ifPresent].flatMap(({ path, exists }) => (exists ? [path] : []));
  const missing = ownPaths.flatMap(({ path, exists }) => (exists ? [] : [path]));
  const protectedPaths = [...hiddenPlaces, ...readOnly];
  const links = await linksTo([...own.hidden, ...own.readOnly], { capabilities, protectedPaths });
  for (const mode of ['read', 'write'] as const) {
    const roots = await realPaths([...hostRoots[mode], ...hostRoots.write]);
    for (const path of capabilities.filesystem[mode]) {
      if (!path.startsWith('/')) continue;
      const source = await realpath(path).catch(() => undefined);
      const problem =
        problemWith(path, source, roots) ??
        ownProblem(source, mode, { hidden, readOnly, missing, links }) ??
        deniedProblem(source, denied) ??
        (await accessProblem(source, mode, hostUser));
      if (problem !== undefined || source === undefined) throw refused(skill.id, mode, path, problem);
      mounts.push({ source, target: path, writable: mode === 'write' });
    }
  }
  return {
    // A folder before its contents, and writable after read-only, so that the wider right to a path
    // wins.
    mounts: [
      ...mounts,
      ...mounts.flatMap((mount) => protectedWithin(mount, { readOnly, protectedPaths })),
    ].toSorted((a, b) => a.target.length - b.target.length || Number(a.writable) - Number(b.writable)),
    hidden: mounts.flatMap((mount) => placesWithin(mount, hiddenPlaces).map(({ target }) => target)),
  };
}

async function knownDataDirs(skillId: string, { otherDataDirs }: OwnPaths): Promise<readonly string[]> {
  try {
    return (await otherDataDirs?.()) ?? [];
  } catch (cause) {
    throw new SkillError(
      'SANDBOX_UNAVAILABLE',
      `${skillId} did not run: the data directories of this user are unknown (${thrownText(cause)}), so they cannot be hidden in the paths that it is granted`,
      { cause },
    );
  }
}

function refused(skillId: string, mode: 'read' | 'write', path: string, problem = missing): SkillError {
  const key = `grants.${skillId}.filesystem.${mode}`;
  const isDenied = problem.endsWith(deniedReason);
  const next = problem === missing ? `. Create it, or correct ${key} in the configuration` : '';
  const message = `${skillId} did not run: the granted path ${path} ${problem}${next}`;
  return new SkillError('CAPABILITY_DENIED', message, {
    details: {
      denials: [
        {
          capability: `filesystem.${mode}`,
          requested: path,
          reason: problem,
          remedy: isDenied
            ? `narrow the call with "capabilities": leave out filesystem.${mode} ${path}`
            : `correct ${key} in the configuration`,
        },
      ],
    },
  });
}

const missing = 'does not exist on this host';
const deniedReason = ', which a deny rule names';

async function realPaths(paths: readonly string[]): Promise<string[]> {
  return (await resolvePaths(paths)).map(({ path }) => path);
}

async function resolvePaths(paths: readonly string[]): Promise<{ path: string; exists: boolean }[]> {
  return Promise.all(
    paths.map(async (path) => {
      const found = await realpath(path).catch(() => undefined);
      if (found !== undefined) return { path: found, exists: true };
      return { path: await futureRealPath(path), exists: false };
    }),
  );
}

/** The real path of a missing file: one of the existing folders above it may be a symlink. */
async function futureRealPath(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === path) return path;
  return join(await realpath(folder).catch(() => futureRealPath(folder)), basename(path));
}

/**
 * The symlinks on the way to own paths, except those in protected folders. Only matters if a host
 * path is writable.
 */
async function linksTo(
  places: readonly string[],
  { capabilities, protectedPaths }: Pick<Grant, 'capabilities'> & { protectedPaths: readonly string[] },
): Promise<string[]> {
  if (!capabilities.filesystem.write.some((path) => path.startsWith('/'))) return [];
  const links = (await Promise.all(places.map(symlinksIn))).flat();
  return links.filter((link) => !protectedPaths.some((place) => liesWithin(link, place)));
}

/** Returns mounts for the places below a mount's source, at their paths inside. */
function placesWithin({ source, target }: Mount, places: readonly string[]): Mount[] {
  return places
    .filter((place) => place !== source && liesWithin(place, source))
    .map((place) => ({ source: place, target: join(target, place.slice(source.length)), writable: false }));
}

/**
 * Mounts that protect paths in a writable mount, and the folders above them: a folder that is not a
 * mount itself could be moved away and replaced.
 */
function protectedWithin(
  mount: Mount,
  { readOnly, protectedPaths }: { readOnly: readonly string[]; protectedPaths: readonly string[] },
): Mount[] {
  if (mount.writable !== true) return [];
  const above = new Set(protectedPaths.flatMap((place) => foldersBetween(mount.source, place)));
  const open = [...above].filter((folder) => !protectedPaths.some((place) => liesWithin(folder, place)));
  return [
    ...placesWithin(mount, open).map((folder) => ({ ...folder, writable: true })),
    ...placesWithin(mount, readOnly),
  ];
}

/** The folders between `root` and `place`. */
function foldersBetween(root: string, place: string): string[] {
  const folder = dirname(place);
  if (folder === place || folder === root || !liesWithin(folder, root)) return [];
  return [folder, ...foldersBetween(root, folder)];
}

function deniedProblem(source: string | undefined, denied: readonly string[]): string | undefined {
  const rule = source && denied.find((place) => liesWithin(source, place) || liesWithin(place, source));
  return rule ? `leads to or contains ${rule}${deniedReason}` : undefined;
}

function ownProblem(
  source: string | undefined,
  mode: 'read' | 'write',
  own: Record<'hidden' | 'readOnly' | 'missing' | 'links', readonly string[]>,
): string | undefined {
  if (source === undefined) return undefined;
  if (own.hidden.some((place) => liesWithin(source, place)))
    return "is in one of Ambit's own folders, which hold its keys, the audit log and its socket";
  if (mode === 'write' && own.readOnly.some((place) => liesWithin(source, place))) {
    return 'belongs to Ambit: skills never write the configuration, a skill or the program';
  }
  const missing = mode === 'write' && own.missing.find((place) => liesWithin(place, source));
  if (missing)
    return `contains ${missing}, which Ambit would trust and which does not exist: create it, so that Ambit can protect it`;
  const link = mode === 'write' && own.links.find((place) => liesWithin(place, source));
  if (link)
    return `contains ${link}, a symlink to a path of Ambit's own: configure the real path instead, so that Ambit can protect it`;
  return undefined;
}

function problemWith(path: string, source: string | undefined, roots: readonly string[]): string | undefined {
  if (source === undefined) return missing;
  if (
    reserved.some((own) => liesWithin(own, path)) ||
    reserved.slice(0, 3).some((own) => liesWithin(path, own))
  ) {
    return 'would hide a part of the sandbox';
  }
  if (!roots.some((root) => liesWithin(source, root)))
    return 'leads through a symlink to a path that is not granted';
  return undefined;
}

/** Reported before the call, not as an EACCES inside a script. Checks only the path itself. */
async function accessProblem(
  source: string | undefined,
  mode: 'read' | 'write',
  hostUser: number | undefined,
): Promise<string | undefined> {
  if (source === undefined || hostUser === undefined) return undefined;
  const { mode: bits, uid, gid } = await stat(source);
  const shift = uid === hostUser ? 6 : gid === hostUser ? 3 : 0;
  const needed = mode === 'write' ? 0o6 : 0o4;
  if (((bits >> shift) & needed) === needed) return undefined;
  const remedy = mode === 'write' ? `chown -R ${hostUser} ${source}` : `chmod -R o+rX ${source}`;
  return `is not accessible to uid ${hostUser}, the user of skills when the daemon is root. For example: ${remedy}`;
}
