import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import type { BrokenSkill } from '@ambit/core';
import { liesWithin } from '@ambit/core/internal';
import type { Disk } from '../disk.ts';
import { isGone } from '../is-gone.ts';
import type { SkillRoot } from '../skill-root.ts';

/** A folder that has a `SKILL.md`, usable or not. */
interface SkillLocation {
  /** Its real path, with no link in it. */
  root: string;
  /** The path by which it was reached; the same where no link is on the way. */
  place: string;
  /** Which of the roots it belongs to. */
  from: number;
}

/** What lies below the roots, in the order in which names are given away. */
export interface Layout {
  folders: readonly SkillLocation[];
  /** What was not looked into, and why. */
  problems: readonly BrokenSkill[];
  /** Whether everything within reach was looked into. */
  complete: boolean;
}

/** How far below each root is looked. */
export interface ScanLimits {
  /** Skill folders directly below a root are at depth 1. */
  depth: number;
  /** Folders of any kind, for each root. */
  folders: number;
}

/** Called with the real paths of folders, one after another; neither rejects. */
export interface FolderVisitor {
  /** Whether this was a skill folder the last time, and nothing in it has changed. */
  isUnchanged(root: string): Promise<boolean>;
  /** What any other skill folder looks like. */
  visit(root: string, stats: BigIntStats): Promise<void>;
}

/** A root with its real path. */
interface Place extends SkillRoot {
  real: string;
  index: number;
}

/**
 * Finds the skill folders below the roots: configured roots first, each by name. Neither skill folders nor folders whose
 * names begin with a dot, nor `node_modules`, are searched further. Each real folder counts once, so that links cannot
 * lead in circles, and one that is configured as a root by itself counts there. A root that does not exist is empty. Of a
 * discovered root, whose skills nobody chose, the first 256 skill folders count.
 */
export async function findSkillFolders(
  roots: readonly SkillRoot[],
  disk: Disk,
  reach: ScanLimits,
  visitor: FolderVisitor,
): Promise<Layout> {
  const places = await placesOf(roots, disk);
  const folders: SkillLocation[] = [];
  const problems: BrokenSkill[] = [];
  /** Real paths, and how much deeper each was searched. */
  const visited = new Map<string, number>();
  let complete = true;

  /** Their tiers may be others; a place that nobody configured takes nothing from one that somebody did. */
  const owned = new Set(places.filter(({ discovered }) => !discovered).map(({ real }) => real));

  for (const root of places) {
    let count = 0;
    let left = root.discovered === true ? discoveredMax : Number.POSITIVE_INFINITY;

    const report = (place: string, problem: string): void => {
      problems.push({ id: basename(place), root: place, problem });
    };

    /** Whether the folder counts. */
    const found = (real: string, place: string): boolean => {
      visited.set(real, Number.POSITIVE_INFINITY);
      left -= 1;
      if (left >= 0) folders.push({ root: real, place, from: root.index });
      return left >= 0;
    };

    const visit = async (real: string, place: string, stats: BigIntStats, depth: number): Promise<void> => {
      const deeper = reach.depth - depth;
      if ((visited.get(real) ?? -1) >= deeper || (real !== root.real && owned.has(real))) return;
      count += 1;
      if (count > reach.folders) return;
      visited.set(real, deeper);
      const names = await disk.names(real, stats);
      if (names.includes(skillFile)) {
        if (found(real, place)) await visitor.visit(real, stats);
        return;
      }
      const misnamed = names.find((name) => name.toLowerCase() === skillFile.toLowerCase());
      if (misnamed !== undefined)
        report(place, `it has ${misnamed}, which is not read; rename it to ${skillFile}`);
      if (deeper === 0) return;
      for (const name of names) {
        if (name.startsWith('.') || name === 'node_modules' || count > reach.folders || left < 0) continue;
        const [child, childPlace] = [`${real}/${name}`, `${place}/${name}`];
        if (!visited.has(child) && !owned.has(child) && (await visitor.isUnchanged(child))) {
          count += 1;
          if (count <= reach.folders) found(child, childPlace);
        } else await attempt(child, childPlace, depth + 1);
      }
    };

    const attempt = async (path: string, place: string, depth: number): Promise<void> => {
      try {
        const stats = await disk.lstat(path);
        if (stats.isDirectory()) await visit(path, place, stats, depth);
        else if (stats.isSymbolicLink()) await follow(await disk.realpath(path), place, depth);
      } catch (error) {
        // A root that is not there is empty, and what goes while we look is gone.
        if (!isGone(error)) report(place, `it cannot be read: ${(error as Error).message}`);
      }
    };

    const follow = async (real: string, place: string, depth: number): Promise<void> => {
      const stats = await disk.lstat(real);
      if (!stats.isDirectory()) return;
      if (liesWithin(real, root.real) || (depth === 1 && root.discovered !== true)) {
        await visit(real, place, stats, depth);
      } else if (!places.some((other) => liesWithin(real, other.real))) {
        report(
          place,
          `the link leads out of ${root.path}; to have what is there, add ${real} to "skills" in the configuration`,
        );
      }
    };

    await attempt(root.real, root.path, 0);
    if (left < 0) {
      report(
        root.path,
        `it holds more than ${discoveredMax} skills, and the rest is left out because the configuration does not name this folder; to have them all, add ${root.path} to "skills" in the configuration`,
      );
    }
    if (count > reach.folders) {
      complete = false;
      report(
        root.path,
        `more than ${reach.folders} folders lie below it, and the rest is not looked into; name folders further down as roots`,
      );
    }
  }
  return { folders, problems, complete };
}

const skillFile = 'SKILL.md';

/** Enough for what people install by hand; whoever has more configures the folder. */
const discoveredMax = 256;

/** Those that exist, configured ones first. */
async function placesOf(roots: readonly SkillRoot[], disk: Disk): Promise<Place[]> {
  const places: Place[] = [];
  for (const [index, root] of roots.entries()) {
    try {
      places.push({ ...root, real: await disk.realpath(root.path), index });
    } catch (error) {
      if (!isGone(error)) places.push({ ...root, real: root.path, index });
    }
  }
  return places.sort((a, b) => Number(a.discovered ?? false) - Number(b.discovered ?? false));
}
