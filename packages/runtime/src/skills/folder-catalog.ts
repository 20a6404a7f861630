import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BrokenSkill, type Catalog, SkillError, type Tier } from '@ambit/core';
import { listFolder } from './list-folder.ts';
import { type ReadSkill, readSkillFolder } from './read-skill-folder.ts';

/** A folder with skill folders in it, or a skill folder itself, and how far its source is trusted. */
export interface SkillRoot {
  path: string;
  tier: Tier;
  /** Found where people keep skills, and named by nobody. */
  discovered?: true;
}

/** What one folder turned out to be. */
type Loaded = { read: ReadSkill } | { broken: BrokenSkill };

interface Snapshot {
  skills: ReadonlyMap<string, ReadSkill>;
  broken: readonly BrokenSkill[];
}

/**
 * A catalog over folders. Of two skills with one name the first root's stands and the other is reported. Nothing is
 * read again while a folder's files are as they were; an edit shows at the next call.
 */
export function folderCatalog(roots: readonly SkillRoot[]): Catalog {
  let known: Snapshot = { skills: new Map(), broken: [] };
  let scanning: Promise<Snapshot> | undefined;

  const scan = (): Promise<Snapshot> => {
    // Callers that arrive during a scan share it.
    scanning ??= scanRoots(roots, known).then((snapshot) => {
      known = snapshot;
      scanning = undefined;
      return snapshot;
    });
    return scanning;
  };

  return {
    async find(id) {
      const cached = known.skills.get(id);
      if (cached !== undefined && (await isCurrent(cached))) return cached.skill;
      const { skills, broken } = await scan();
      return skills.get(id)?.skill ?? broken.find((candidate) => candidate.id === id);
    },
    async list() {
      const { skills } = await scan();
      return [...skills.values()].map(({ skill }) => skill).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async broken() {
      return (await scan()).broken;
    },
  };
}

async function isCurrent({ skill, signature }: ReadSkill): Promise<boolean> {
  return (await listFolder(skill.root).catch(() => undefined))?.signature === signature;
}

async function scanRoots(roots: readonly SkillRoot[], known: Snapshot): Promise<Snapshot> {
  const cache = new Map([...known.skills.values()].map((read) => [read.skill.root, read]));
  const skills = new Map<string, ReadSkill>();
  const broken: BrokenSkill[] = [];
  for (const { path, tier } of roots) {
    for (const folder of await skillFolders(path)) {
      const loaded = await load(folder, tier, cache.get(folder));
      if ('broken' in loaded) {
        broken.push(loaded.broken);
        continue;
      }
      const { id } = loaded.read.skill;
      const first = skills.get(id);
      if (first === undefined) skills.set(id, loaded.read);
      else
        broken.push({
          id,
          root: folder,
          problem: `another skill of this name is used instead: ${first.skill.root}`,
        });
    }
  }
  return { skills, broken };
}

async function load(root: string, tier: Tier, cached: ReadSkill | undefined): Promise<Loaded> {
  try {
    if (cached !== undefined && cached.skill.tier === tier && (await isCurrent(cached)))
      return { read: cached };
    return { read: await readSkillFolder(root, tier) };
  } catch (error) {
    // A folder that vanishes while it is read is as unusable as one that is wrong; neither may end a scan.
    const problem =
      error instanceof SkillError ? error.message : `it cannot be read: ${(error as Error).message}`;
    return { broken: { id: basename(root), root, problem } };
  }
}

/** The folders below a root that have a `SKILL.md`, by name; a root that is not there has none. */
async function skillFolders(path: string): Promise<string[]> {
  const root = await realpath(path).catch(() => undefined);
  if (root === undefined) return [];
  if (await isFile(join(root, 'SKILL.md'))) return [root];
  const folders: string[] = [];
  for (const name of (await readdir(root).catch(() => [])).sort()) {
    const folder = await realpath(join(root, name)).catch(() => undefined);
    if (folder !== undefined && (await isFile(join(folder, 'SKILL.md')))) folders.push(folder);
  }
  return folders;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
