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
  /** What was skipped, and why. */
  problems: readonly BrokenSkill[];
  /** Whether every folder within the limits was searched. */
  complete: boolean;
}

/** How far below each root the search goes. */
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
  const folders: SkillLocation[] = [];
  const problems: BrokenSkill[] = [];
  /** Real paths, and how many more levels each was searched. */
  const visited = new Map<string, number>();
  let complete = true;

  /** They may have another tier. A discovered root takes nothing from a configured one. */
  const owned = new Set(resolvedRoots.filter(({ discovered }) => !discovered).map(({ real }) => real));

  for (const root of resolvedRoots) {
    let count = 0;
    let remaining = root.discovered === true ? discoveredMax : Number.POSITIVE_INFINITY;

    const report = (foundAt: string, problem: string): void => {
      problems.push({ id: skillIdOf(root.namespace, basename(foundAt)), root: foundAt, problem });
    };

    /** Whether the folder counts. */
    const found = (real: string, foundAt: string): boolean => {
      visited.set(real, Number.POSITIVE_INFINITY);
      remaining -= 1;
      if (remaining >= 0) folders.push({ root: real, foundAt, from: root.index });
      return remaining >= 0;
    };

    const visit = async (real: string, foundAt: string, stats: BigIntStats, depth: number): Promise<void> => {
      const deeper = limits.depth - depth;
      if ((visited.get(real) ?? -1) >= deeper || (real !== root.real && owned.has(real))) return;
      count += 1;
      if (count > limits.folders) return;
      visited.set(real, deeper);
      const names = await disk.names(real, stats);
      if (skillFileNames.some((name) => names.includes(name))) {
        if (found(real, foundAt)) await visitor.visit(real);
        await visitInner(real, foundAt, depth, names);
        return;
      }
      const misnamed = names.find((name) => name.toLowerCase() === 'skill.md');
      if (misnamed !== undefined)
        report(foundAt, `the folder contains ${misnamed}, which is ignored; rename it to SKILL.md`);
      if (deeper === 0) return;
      for (const name of names) {
        if (name.startsWith('.') || name === 'node_modules' || count > limits.folders || remaining < 0)
          continue;
        const [child, childFoundAt] = [`${real}/${name}`, `${foundAt}/${name}`];
        if (!visited.has(child) && !owned.has(child) && (await visitor.isUnchanged(child))) {
          count += 1;
          if (count <= limits.folders) found(child, childFoundAt);
          if (visitor.hasAny(child, innerSkillFolders))
            await visitInner(child, childFoundAt, depth + 1, innerSkillFolders);
        } else await attempt(child, childFoundAt, depth + 1);
      }
    };

    /** Finds the skills of their own in a skill's folder. A folder of an installed skill has none. */
    const visitInner = async (
      skill: string,
      foundAt: string,
      depth: number,
      names: readonly string[],
    ): Promise<void> => {
      const search = async (within: string): Promise<void> => {
        const place = `${skill}/${within}`;
        if (count > limits.folders || owned.has(place)) return;
        const stats = await disk.lstat(place);
        if (!stats.isDirectory()) return;
        const inside = await disk.names(place, stats);
        // Not part of the skill around it, so it is found however deep that is.
        if (isInnerSkill(within, inside))
          return attempt(place, `${foundAt}/${within}`, Math.min(depth + 1, limits.depth));
        count += 1;
        for (const name of inside)
          if (mayHaveInnerSkills(`${within}/${name}`) && name !== 'node_modules')
            await search(`${within}/${name}`);
      };
      if (root.installed !== undefined) return;
      for (const name of innerSkillFolders)
        if (names.includes(name))
          await search(name).catch((error: unknown) => {
            if (!isGone(error)) report(foundAt, `${name} in it cannot be read: ${(error as Error).message}`);
          });
    };

    const attempt = async (path: string, foundAt: string, depth: number): Promise<void> => {
      try {
        const stats = await disk.lstat(path);
        if (stats.isDirectory()) await visit(path, foundAt, stats, depth);
        else if (stats.isSymbolicLink()) await follow(await disk.realpath(path), foundAt, depth);
      } catch (error) {
        // A missing root is empty, and a folder may vanish during the scan.
        if (!isGone(error)) report(foundAt, `it cannot be read: ${(error as Error).message}`);
      }
    };

    const follow = async (real: string, foundAt: string, depth: number): Promise<void> => {
      const stats = await disk.lstat(real);
      if (!stats.isDirectory()) return;
      if (liesWithin(real, root.real) || (depth === 1 && root.discovered !== true)) {
        await visit(real, foundAt, stats, depth);
      } else if (!resolvedRoots.some((other) => liesWithin(real, other.real))) {
        report(
          foundAt,
          `the link leads out of ${root.path}; to include its target, add ${real} to "skills" in the configuration`,
        );
      }
    };

    await attempt(root.real, root.path, 0);
    if (root.installed !== undefined && folders.at(-1)?.from !== root.index)
      problems.push(notInstalled(root, root.installed));
    if (remaining < 0) {
      report(
        root.path,
        `the folder has more than ${discoveredMax} skills; the rest are ignored because the configuration does not name this folder. To include them, add ${root.path} to "skills" in the configuration`,
      );
    }
    if (count > limits.folders) {
      complete = false;
      report(
        root.path,
        `more than ${limits.folders} folders are below it; the rest are not searched. Configure folders further down as roots`,
      );
    }
  }
  return { folders, problems, complete };
}

/** Enough for skills installed by hand; larger collections must be configured. */
const discoveredMax = 256;

/** An installed skill without its folder is unusable, unlike a configured folder, which may be empty. */
export function notInstalled({ namespace, path }: SkillRoot, { name, refused }: Installed): BrokenSkill {
  const missing = {
    code: 'LOCK_MISMATCH' as const,
    problem: `the lock file lists it, and its folder ${path} does not exist; to fetch it again, run: ambit skills sync`,
  };
  return { id: skillIdOf(namespace, name), root: path, ...(refused ?? missing) };
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
