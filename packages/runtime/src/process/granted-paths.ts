import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '@ambit/core';
import type { Grant } from '@ambit/core/execute';
import { liesWithin } from '@ambit/core/internal';
import { linksOn } from './links-on.ts';
import { ownFolder } from './sandbox/own-folder.ts';
import type { Mount } from './sandbox/sandbox.ts';

/** Places inside that belong to the sandbox; a host path cannot cover them. */
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

/** Places of the host that are Ambit's own. A grant of a folder around them grants the rest of it. */
export interface OwnPaths {
  /** Empty inside: the data directory, with the key and the log. */
  hidden: readonly string[];
  /**
   * Never writable inside: the configuration, the skills, the program. What is not there yet cannot be kept from being made, nor
   * a link that leads to it or to what is hidden from being replaced, so that a grant to write around either is refused.
   */
  readOnly: readonly string[];
  /** The same as far as it is there, and may be made: where skills are looked for that nobody trusts. Absent: none. */
  readOnlyIfThere?: readonly string[];
}

/** What a grant's host paths come to. */
export interface GrantedPaths {
  mounts: Mount[];
  /** Folders inside that are covered by an empty one. */
  hidden: string[];
}

/**
 * The mounts for the host paths of a grant, each at its own path. Links are resolved here, and a path whose real place
 * is not beneath one of the operator's own lines is refused: policy has only compared names.
 *
 * Throws `CAPABILITY_DENIED` for a path that does not exist, leads elsewhere, would cover the sandbox's own, lies within
 * what is hidden, is to be written and lies within or around what must not be, or is closed to `hostUser`, the user that the program is on the host.
 */
export async function grantedMounts(
  { skill, capabilities, hostRoots, hostDenied }: Grant,
  { hostUser, own }: { hostUser: number | undefined; own: OwnPaths },
): Promise<GrantedPaths> {
  const mounts: Mount[] = [];
  const [hidden, denied, ownPlaces, ifThere] = await Promise.all([
    realPaths(own.hidden),
    realPaths(hostDenied),
    realPlaces(own.readOnly),
    realPlaces(own.readOnlyIfThere ?? []),
  ]);
  const readOnly = [...ownPlaces, ...ifThere].flatMap(({ path, isThere }) => (isThere ? [path] : []));
  const missing = ownPlaces.flatMap(({ path, isThere }) => (isThere ? [] : [path]));
  const kept = [...hidden, ...readOnly];
  const links = await linksTo([...own.hidden, ...own.readOnly], { capabilities, kept });
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
    // A folder before what lies in it, and to write after to read, so that the wider right to one path stands.
    mounts: [...mounts, ...mounts.flatMap((mount) => protectedWithin(mount, { readOnly, kept }))].toSorted(
      (a, b) => a.target.length - b.target.length || Number(a.writable) - Number(b.writable),
    ),
    hidden: mounts.flatMap((mount) => placesWithin(mount, hidden).map(({ target }) => target)),
  };
}

function refused(
  skillId: string,
  mode: 'read' | 'write',
  path: string,
  problem = 'does not exist on this host',
): SkillError {
  return new SkillError('CAPABILITY_DENIED', `${skillId} is not run: the granted path ${path} ${problem}`, {
    details: {
      denials: [
        {
          capability: `filesystem.${mode}`,
          requested: path,
          reason: problem,
          remedy: `correct grants.${skillId}.filesystem.${mode} in the configuration`,
        },
      ],
    },
  });
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  return (await realPlaces(paths)).map(({ path }) => path);
}

async function realPlaces(paths: readonly string[]): Promise<{ path: string; isThere: boolean }[]> {
  return Promise.all(
    paths.map(async (path) => {
      const found = await realpath(path).catch(() => undefined);
      if (found !== undefined) return { path: found, isThere: true };
      return { path: await whereItWouldBe(path), isThere: false };
    }),
  );
}

/** By the folders above it that there are: one of them may be a link. */
async function whereItWouldBe(path: string): Promise<string> {
  const folder = dirname(path);
  if (folder === path) return path;
  return join(await realpath(folder).catch(() => whereItWouldBe(folder)), basename(path));
}

/** The links through which own places are found, but for those that nobody can replace. None matters where nothing is to be written. */
async function linksTo(
  places: readonly string[],
  { capabilities, kept }: Pick<Grant, 'capabilities'> & { kept: readonly string[] },
): Promise<string[]> {
  if (!capabilities.filesystem.write.some((path) => path.startsWith('/'))) return [];
  const links = (await Promise.all(places.map(linksOn))).flat();
  return links.filter((link) => !kept.some((place) => liesWithin(link, place)));
}

/** Where places of the host that lie beneath a mount are inside. */
function placesWithin({ source, target }: Mount, places: readonly string[]): Mount[] {
  return places
    .filter((place) => place !== source && liesWithin(place, source))
    .map((place) => ({ source: place, target: join(target, place.slice(source.length)), writable: false }));
}

/** What is not written there, and the folders above it: one that is no mount of its own could be moved away, and another made in its place. */
function protectedWithin(
  mount: Mount,
  { readOnly, kept }: { readOnly: readonly string[]; kept: readonly string[] },
): Mount[] {
  if (mount.writable !== true) return [];
  const above = new Set(kept.flatMap((place) => foldersBetween(mount.source, place)));
  const open = [...above].filter((folder) => !kept.some((place) => liesWithin(folder, place)));
  return [
    ...placesWithin(mount, open).map((folder) => ({ ...folder, writable: true })),
    ...placesWithin(mount, readOnly),
  ];
}

/** Those in which a place lies, within one that it lies in too. */
function foldersBetween(root: string, place: string): string[] {
  const folder = dirname(place);
  if (folder === place || folder === root || !liesWithin(folder, root)) return [];
  return [folder, ...foldersBetween(root, folder)];
}

function deniedProblem(source: string | undefined, denied: readonly string[]): string | undefined {
  const rule = source && denied.find((place) => liesWithin(source, place) || liesWithin(place, source));
  return rule ? `leads to, or around, ${rule}, which a deny rule names` : undefined;
}

function ownProblem(
  source: string | undefined,
  mode: 'read' | 'write',
  own: Record<'hidden' | 'readOnly' | 'missing' | 'links', readonly string[]>,
): string | undefined {
  if (source === undefined) return undefined;
  if (own.hidden.some((place) => liesWithin(source, place)))
    return 'belongs to Ambit itself: its key and its log are there';
  if (mode === 'write' && own.readOnly.some((place) => liesWithin(source, place))) {
    return 'belongs to Ambit itself: a skill never writes the configuration, a skill or the program';
  }
  const missing = mode === 'write' && own.missing.find((place) => liesWithin(place, source));
  if (missing)
    return `lies around ${missing}, which Ambit would trust and which is not there: make it, so that it can be kept from being written`;
  const link = mode === 'write' && own.links.find((place) => liesWithin(place, source));
  if (link)
    return `lies around ${link}, a link that leads to what is Ambit's own: name that by its real place, so that it can be kept`;
  return undefined;
}

function problemWith(path: string, source: string | undefined, roots: readonly string[]): string | undefined {
  if (source === undefined) return 'does not exist on this host';
  if (
    reserved.some((own) => liesWithin(own, path)) ||
    reserved.slice(0, 3).some((own) => liesWithin(path, own))
  ) {
    return 'would cover a place of the sandbox itself';
  }
  if (!roots.some((root) => liesWithin(source, root)))
    return 'leads, through a link, to a place that is not granted';
  return undefined;
}

/** Said before the call rather than as an EACCES from somewhere inside a script. Only the path itself is looked at. */
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
  return `is closed to uid ${hostUser}, as which skills run when the daemon is root; for example: ${remedy}`;
}
