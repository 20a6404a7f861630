import type { BrokenSkill, Skill } from '@ambit/core';
import { aliasConflicts, partsOfId, skillIdOf, withoutAlias } from '@ambit/core/skill';
import type { LoadResult } from './folder/load-skill-folder.ts';
import type { ReadSkill } from './folder/read-skill-folder.ts';
import type { Layout } from './scan/find-skill-folders.ts';
import type { Installed, SkillRoot } from './scan/skill-root.ts';

/** The properties that a skill takes from its root. */
export type Origin = Pick<SkillRoot, 'tier' | 'namespace' | 'installed'>;

/** The result of the last read of a folder, for the root that it belonged to at that time. */
export interface ReadFolderState extends Origin {
  loaded: LoadResult;
  /** The skill as it was read, without what it takes from its root. `undefined` if the folder is unusable. */
  asRead: ReadSkill | undefined;
}

/** A skill that has its name to itself, with the path by which it was found. */
export interface NamedSkill extends ReadSkill {
  foundAt: string;
  /** With its alias. Absent: `skill` has the alias that was read, or there is none. */
  withAlias?: Skill;
}

/** The state of a catalog at one moment. */
export interface Snapshot {
  /** By id. */
  skills: ReadonlyMap<string, NamedSkill>;
  /** By id; the same array as before if nothing changed. */
  list: readonly Skill[];
  broken: readonly BrokenSkill[];
}

export const emptySnapshot: Snapshot = { skills: new Map(), list: [], broken: [] };

/**
 * Assigns names in the order of the layout, in which configured roots come first. `known` has every folder of it, by real
 * path. A discovered skill would take the name by which callers, phases and agents mean a configured one of a namespace.
 */
export function snapshotOf(
  layout: Layout,
  known: ReadonlyMap<string, ReadFolderState>,
  before: Snapshot,
  isDiscovered: (from: number) => boolean,
): Snapshot {
  const skills = new Map<string, NamedSkill>();
  const broken: BrokenSkill[] = [];
  /** By name: an id with a namespace. */
  const named = new Map<string, string>();
  for (const { root, foundAt, from } of layout.folders) {
    const loaded = known.get(root)?.loaded;
    if (loaded === undefined) continue;
    const wanted = 'broken' in loaded ? loaded.broken.id : loaded.read.skill.id;
    const { namespace, name } = partsOfId(wanted);
    const configuredId = named.get(wanted);
    if (configuredId !== undefined && isDiscovered(from)) {
      // Its path, which no caller means, instead of the name.
      const problem = `its name means the configured skill ${configuredId}; to use both, add this folder to "skills" in the configuration, with a namespace`;
      broken.push({ id: foundAt, root, problem });
      continue;
    }
    if (namespace !== undefined && !isDiscovered(from)) named.set(name, wanted);
    if ('broken' in loaded) {
      broken.push(loaded.broken);
      continue;
    }
    const { id } = loaded.read.skill;
    const first = skills.get(id);
    if (first === undefined) skills.set(id, { ...loaded.read, foundAt });
    else
      broken.push({ id, root, problem: `another skill with this id is used instead: ${first.skill.root}` });
  }
  ignoreConflicts(skills, [...broken, ...layout.problems], before);
  const list = [...skills.values()].map(({ skill }) => skill).sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    skills,
    list: unlessSame(list, before.list, (a, b) => a === b),
    broken: unlessSame([...broken, ...layout.problems], before.broken, isSameProblem),
  };
}

/** Takes aliases from skills that share them. A skill stays the same object as long as its folder and the conflict do. */
function ignoreConflicts(
  skills: Map<string, NamedSkill>,
  broken: readonly BrokenSkill[],
  before: Snapshot,
): void {
  const conflictOf = aliasConflicts(
    Array.from(skills.values(), ({ skill }) => skill),
    broken,
  );
  for (const [id, each] of skills) {
    const conflict = conflictOf(each.skill);
    if (conflict === undefined) continue;
    const known = before.skills.get(id);
    const isSame = known?.withAlias === each.skill && known.skill.aliasConflict === conflict;
    const skill = isSame ? known.skill : withoutAlias(each.skill, conflict);
    skills.set(id, { ...each, skill, withAlias: each.skill });
  }
}

/** The state of a folder that was read for a root, with ids in the root's namespace. */
export function stateOf(read: LoadResult, { tier, namespace, installed }: Origin): ReadFolderState {
  const loaded = installed === undefined ? read : asInstalled(read, installed);
  const asRead = 'read' in read ? read.read : undefined;
  if (namespace === undefined) return { tier, installed, loaded, asRead };
  const inNamespace = <Each extends { id: string }>(each: Each): Each => ({
    ...each,
    id: skillIdOf(namespace, each.id),
  });
  return {
    tier,
    namespace,
    installed,
    asRead,
    loaded:
      'broken' in loaded
        ? { broken: inNamespace(loaded.broken) }
        : { read: { ...loaded.read, skill: inNamespace(loaded.read.skill) } },
  };
}

/** Returns an installed skill: unusable if it must not be used, or if its folder is not what was installed. */
function asInstalled(
  loaded: LoadResult,
  { name, digest, publisher, dependencies, refused }: Installed,
): LoadResult {
  if (refused === undefined && 'broken' in loaded) return { broken: { ...loaded.broken, id: name } };
  const root = 'broken' in loaded ? loaded.broken.root : loaded.read.skill.root;
  if (refused !== undefined) return { broken: { id: name, root, ...refused } };
  if ('broken' in loaded) return loaded;
  if (loaded.read.skill.digest === digest) {
    const skill: Skill = { ...loaded.read.skill, isInstalled: true };
    if (publisher !== undefined) skill.publisher = publisher;
    if (dependencies !== undefined) skill.dependencies = dependencies;
    return { read: { ...loaded.read, skill } };
  }
  return {
    broken: {
      id: name,
      root,
      code: 'LOCK_MISMATCH',
      problem: `its files have the digest ${loaded.read.skill.digest}, and the lock file says ${digest}; to fetch it again, run: ambit skills sync`,
    },
  };
}

/** Whether a folder was read with this tier and namespace, and as this installed skill. */
export function isSameOrigin(
  { tier, namespace, installed }: Origin,
  state: ReadFolderState | undefined,
): boolean {
  return state?.tier === tier && state.namespace === namespace && state.installed === installed;
}

/** The new state, reusing the previous skill or problem object if its content is the same. */
export function reuseIfSame(now: ReadFolderState, before: ReadFolderState | undefined): ReadFolderState {
  if (before === undefined || !isSameOrigin(now, before)) return now;
  const [old, fresh] = [before.loaded, now.loaded];
  if ('read' in old && 'read' in fresh) {
    const same = old.read.skill.digest === fresh.read.skill.digest;
    return same ? { ...now, loaded: { read: { ...fresh.read, skill: old.read.skill } } } : now;
  }
  return 'broken' in old && 'broken' in fresh && isSameProblem(old.broken, fresh.broken) ? before : now;
}

function unlessSame<Item>(
  now: readonly Item[],
  before: readonly Item[],
  isSame: (a: Item, b: Item) => boolean,
): readonly Item[] {
  const same = now.length === before.length && now.every((item, at) => isSame(item, before[at] as Item));
  return same ? before : now;
}

function isSameProblem(a: BrokenSkill, b: BrokenSkill): boolean {
  return a.id === b.id && a.root === b.root && a.problem === b.problem;
}
