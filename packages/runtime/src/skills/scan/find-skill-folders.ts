import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import type { BrokenSkill } from '@ambit/core';
import { liesWithin } from '@ambit/core/policy';
import {
  innerSkillFolders,
  isInnerSkill,
  mayHaveInnerSkills,
  skillFileNames,
  skillIdOf,
} from '@ambit/core/skill';
import type { Disk } from '../folder/disk.ts';
import { isGone } from '../folder/disk.ts';
import type { Installed, SkillRoot } from './skill-root.ts';

/** A folder with a `SKILL.md`, usable or not. */
interface SkillLocation {
  /** Its real path, without links. */
  root: string;
  /** The path by which it was found; the same unless a link is on the way. */
  foundAt: string;
  /** The index of its root. */
  from: number;
}

/** The skill folders below the roots, in order of precedence for names. */
export interface Layout {
  folders: readonly SkillLocation[];
  /** The folders that were skipped, and the reasons. */
  problems: readonly BrokenSkill[];
  /** Whether every folder within the limits was searched. */
  complete: boolean;
}

/** The bounds of the search below each root. */
export interface ScanLimits {
  /** Skill folders directly below a root are at depth 1. */
  depth: number;
  /** Folders of any kind, per root. */
  folders: number;
}

/** Called with the real paths of folders, one at a time; neither rejects. */
export interface FolderVisitor {
  /** Whether this was a skill folder at the last scan and is unchanged. */
  isUnchanged(root: string): Promise<boolean>;
  /** Whether such a folder has one of these folders. */
  hasAny(root: string, folders: readonly string[]): boolean;
  /** Receives every other skill folder. */
  visit(root: string): Promise<void>;
}

/** A root with its real path. */
interface ResolvedRoot extends SkillRoot {
  real: string;
  index: number;
}

/**
 * Finds the skill folders below the roots: configured roots first, then by name. Skill folders (except
 * for skills of their own in them, see `isInnerSkill`), `node_modules` and folders whose names begin with a dot are not searched. Each real folder counts
 * once, so links cannot form cycles. A folder that is configured as a root of its own belongs to
 * that root. A missing root is empty. Of a discovered root, only the first 256 skill folders count.
 */
export async function findSkillFolders(
  roots: readonly SkillRoot[],
  disk: Disk,
  limits: ScanLimits,
  visitor: FolderVisitor,
): Promise<Layout> {
  const resolvedRoots = await resolveRoots(roots, disk);
  const scan: Scan = {
    disk,
    limits,
    visitor,
    roots: resolvedRoots,
    visited: new Map(),
    owned: new Set(resolvedRoots.filter(({ discovered }) => !discovered).map(({ real }) => real)),
    folders: [],
    problems: [],
  };
  let complete = true;
  for (const root of resolvedRoots) {
    const of: RootScan = {
      ...scan,
      root,
      count: 0,
      remaining: root.discovered === true ? discoveredMax : Number.POSITIVE_INFINITY,
    };
    await attempt(of, { real: root.real, foundAt: root.path, depth: 0 });
    if (root.installed !== undefined && scan.folders.at(-1)?.from !== root.index)
      scan.problems.push(notInstalled(root, root.installed));
    if (of.remaining < 0) {
      report(
        of,
        root.path,
        `the folder has more than ${discoveredMax} skills; the rest are ignored because the configuration does not name this folder. To include them, add ${root.path} to "skills" in the configuration`,
      );
    }
    if (of.count > limits.folders) {
      complete = false;
      report(
        of,
        root.path,
        `more than ${limits.folders} folders are below it; the rest are not searched. Configure folders further down as roots`,
      );
    }
  }
  return { folders: scan.folders, problems: scan.problems, complete };
}

/** The search of all roots. */
interface Scan {
  disk: Disk;
  limits: ScanLimits;
  visitor: FolderVisitor;
  roots: readonly ResolvedRoot[];
  /** Real paths, and how many more levels each was searched. */
  visited: Map<string, number>;
  /** Configured roots. They may have another tier, and a discovered root takes nothing from them. */
  owned: ReadonlySet<string>;
  folders: SkillLocation[];
  problems: BrokenSkill[];
}

/** The search of one root. */
interface RootScan extends Scan {
  root: ResolvedRoot;
  /** The folders searched so far. */
  count: number;
  /** The number of skill folders that still count. */
  remaining: number;
}

/** A path, the path by which it was found, and its number of levels below the root. */
interface Place {
  real: string;
  foundAt: string;
  depth: number;
}

function report({ problems, root }: RootScan, foundAt: string, problem: string): void {
  problems.push({ id: skillIdOf(root.namespace, basename(foundAt)), root: foundAt, problem });
}

/** Adds a skill folder; false if it is beyond the number that counts. */
function add(scan: RootScan, { real, foundAt }: Place): boolean {
  scan.visited.set(real, Number.POSITIVE_INFINITY);
  scan.remaining -= 1;
  if (scan.remaining >= 0) scan.folders.push({ root: real, foundAt, from: scan.root.index });
  return scan.remaining >= 0;
}

async function attempt(scan: RootScan, place: Place): Promise<void> {
  try {
    const stats = await scan.disk.lstat(place.real);
    if (stats.isDirectory()) await visit(scan, place, stats);
    else if (stats.isSymbolicLink())
      await follow(scan, { ...place, real: await scan.disk.realpath(place.real) });
  } catch (error) {
    // A missing root is empty, and a folder may vanish during the scan.
    if (!isGone(error)) report(scan, place.foundAt, `it cannot be read: ${(error as Error).message}`);
  }
}

async function follow(scan: RootScan, place: Place): Promise<void> {
  const { root, roots } = scan;
  const { real, foundAt, depth } = place;
  const stats = await scan.disk.lstat(real);
  if (!stats.isDirectory()) return;
  if (liesWithin(real, root.real) || (depth === 1 && root.discovered !== true)) {
    await visit(scan, place, stats);
  } else if (!roots.some((other) => liesWithin(real, other.real))) {
    report(
      scan,
      foundAt,
      `the link leads out of ${root.path}; to include its target, add ${real} to "skills" in the configuration`,
    );
  }
}

async function visit(scan: RootScan, place: Place, stats: BigIntStats): Promise<void> {
  const { disk, limits, visitor, visited, owned, root } = scan;
  const { real, foundAt, depth } = place;
  const deeper = limits.depth - depth;
  if ((visited.get(real) ?? -1) >= deeper || (real !== root.real && owned.has(real))) return;
  scan.count += 1;
  if (scan.count > limits.folders) return;
  visited.set(real, deeper);
  const names = await disk.names(real, stats);
  if (skillFileNames.some((name) => names.includes(name))) {
    if (add(scan, place)) await visitor.visit(real);
    await visitInner(scan, place, names);
    return;
  }
  const misnamed = names.find((name) => name.toLowerCase() === 'skill.md');
  if (misnamed !== undefined)
    report(scan, foundAt, `the folder contains ${misnamed}, which is ignored; rename it to SKILL.md`);
  if (deeper === 0) return;
  for (const name of names) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    if (scan.count > limits.folders || scan.remaining < 0) return;
    const child = { real: `${real}/${name}`, foundAt: `${foundAt}/${name}`, depth: depth + 1 };
    if (!visited.has(child.real) && !owned.has(child.real) && (await visitor.isUnchanged(child.real))) {
      scan.count += 1;
      if (scan.count <= limits.folders) add(scan, child);
      if (visitor.hasAny(child.real, innerSkillFolders)) await visitInner(scan, child, innerSkillFolders);
    } else await attempt(scan, child);
  }
}

/** Finds the skills of their own in a skill's folder. A folder of an installed skill has none. */
async function visitInner(scan: RootScan, skill: Place, names: readonly string[]): Promise<void> {
  const { disk, limits, owned, root } = scan;
  const search = async (within: string): Promise<void> => {
    const real = `${skill.real}/${within}`;
    if (scan.count > limits.folders || owned.has(real)) return;
    const stats = await disk.lstat(real);
    if (!stats.isDirectory()) return;
    const inside = await disk.names(real, stats);
    // Not part of the skill around it, so it is found however deep that is.
    if (isInnerSkill(within, inside)) {
      const depth = Math.min(skill.depth + 1, limits.depth);
      return attempt(scan, { real, foundAt: `${skill.foundAt}/${within}`, depth });
    }
    scan.count += 1;
    for (const name of inside)
      if (mayHaveInnerSkills(`${within}/${name}`) && name !== 'node_modules')
        await search(`${within}/${name}`);
  };
  if (root.installed !== undefined) return;
  for (const name of innerSkillFolders)
    if (names.includes(name))
      await search(name).catch((error: unknown) => {
        if (!isGone(error))
          report(scan, skill.foundAt, `${name} in it cannot be read: ${(error as Error).message}`);
      });
}

/** Enough for skills installed by hand; larger collections must be configured. */
const discoveredMax = 256;

/** An installed skill without its folder is unusable, unlike a configured folder, which may be empty. */
export function notInstalled({ namespace, path }: SkillRoot, { name, refused }: Installed): BrokenSkill {
  const { code, problem } = refused ?? {
    code: 'LOCK_MISMATCH',
    problem: `the lock file lists it, and its folder ${path} does not exist; to fetch it again, run: ambit skills sync`,
  };
  return { id: skillIdOf(namespace, name), root: path, code, problem };
}

/** The roots that exist, configured ones first; installed ones also if they do not. */
async function resolveRoots(roots: readonly SkillRoot[], disk: Disk): Promise<ResolvedRoot[]> {
  const resolvedRoots: ResolvedRoot[] = [];
  for (const [index, root] of roots.entries()) {
    try {
      resolvedRoots.push({ ...root, real: await disk.realpath(root.path), index });
    } catch (error) {
      if (root.installed !== undefined || !isGone(error))
        resolvedRoots.push({ ...root, real: root.path, index });
    }
  }
  return resolvedRoots.sort((a, b) => Number(a.discovered ?? false) - Number(b.discovered ?? false));
}
