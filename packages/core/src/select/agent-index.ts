import { tierMark } from '../model-text/model-text.ts';
import { listedId } from '../skill/alias.ts';
import { isForModels, type Skill, skillLocation } from '../skill/skill.ts';
import { agentSkills } from './candidates.ts';
import { uniqueSkills } from './prepared/unique-skills.ts';
import type { SelectionCatalog } from './selection.ts';

/** One entry of the skill index that an agent consults. */
export interface SkillIndexEntry {
  /** The skill's alias, or else its id. A call accepts both. */
  id: string;
  /** `title` from the manifest's metadata, or the manifest's name. */
  name: string;
  /** Starts with the tier if that is `untrusted`. */
  description: string;
  /** The path of its `SKILL.md`: absolute, unless relative paths were requested. */
  path: string;
}

/**
 * The skills of an agent: first the skills that the configuration assigns to it, in that order,
 * then the skills whose sidecars name it, by priority and id. No duplicates; unknown ids are
 * skipped. Empty for an unknown, blank or absent agent. Paths below the folder `relativeTo` are relative to it.
 */
export function agentIndex(
  catalog: SelectionCatalog,
  agent: string | null | undefined,
  { relativeTo }: { relativeTo?: string | undefined } = {},
): SkillIndexEntry[] {
  return agentIndexer(catalog, relativeTo)(agent);
}

/** `agentIndex`, prepared once for a catalog. */
export function agentIndexer(
  { skills: given, agents = {} }: Pick<SelectionCatalog, 'skills' | 'agents'>,
  relativeTo?: string,
): (agent: string | null | undefined) => SkillIndexEntry[] {
  const { skills } = uniqueSkills(given);
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const byAgent = new Map<string, Skill[]>();
  for (const skill of skills) {
    for (const agent of skill.sidecar.agents) {
      const those = byAgent.get(agent);
      if (those === undefined) byAgent.set(agent, [skill]);
      else those.push(skill);
    }
  }
  return (agent) => {
    if (typeof agent !== 'string' || agent.trim() === '') return [];
    const configured = agentSkills(agents, agent).map((id) => byId.get(id));
    const its = new Set([...configured, ...(byAgent.get(agent) ?? []).filter(isForModels)]);
    return [...its].filter((skill) => skill !== undefined).map((skill) => skillIndexEntry(skill, relativeTo));
  };
}

/** The index entry of a skill. A path below the folder `relativeTo` is relative to it. */
export function skillIndexEntry(skill: Skill, relativeTo?: string): SkillIndexEntry {
  const { manifest, tier } = skill;
  const { name, metadata } = manifest;
  const description = tierMark(tier) + manifest.description;
  return {
    id: listedId(skill),
    name: metadata['title'] ?? name,
    description,
    path: pathFrom(relativeTo, skillLocation(skill)),
  };
}

function pathFrom(folder: string | undefined, path: string): string {
  const start = `${folder?.replace(/\/+$/, '')}/`;
  return folder !== undefined && path.startsWith(start) ? path.slice(start.length) : path;
}
