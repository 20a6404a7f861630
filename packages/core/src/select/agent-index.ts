import { tierMark } from '../model-text/model-text.ts';
import type { Skill } from '../skill/skill.ts';
import { skillLocation } from '../skill/skill-location.ts';
import { agentSkills } from './candidates.ts';
import { uniqueSkills } from './prepared/unique-skills.ts';
import type { SelectionCatalog } from './selection.ts';

/** One line of the index that an agent consults when it looks for a skill. */
export interface SkillIndexEntry {
  id: string;
  /** `title` in the manifest's metadata where there is one, else the manifest's name. */
  name: string;
  /** Begins with the tier where that is `untrusted`. */
  description: string;
  /** Of its `SKILL.md`. */
  path: string;
}

/**
 * The skills of an agent: those that the configuration gives it, in that order, then those whose sidecars name it, by
 * priority and id. Each once; ids that no skill has are passed over. Empty for an agent that is unknown, blank or absent.
 */
export function agentIndex(catalog: SelectionCatalog, agent: string | null | undefined): SkillIndexEntry[] {
  return agentIndexer(catalog)(agent);
}

/** `agentIndex`, prepared for a catalog once and asked many times. */
export function agentIndexer({
  skills: given,
  agents = {},
}: Pick<SelectionCatalog, 'skills' | 'agents'>): (agent: string | null | undefined) => SkillIndexEntry[] {
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
    const its = new Set([...configured, ...(byAgent.get(agent) ?? [])]);
    return [...its].filter((skill) => skill !== undefined).map(skillIndexEntry);
  };
}

/** A skill as an index tells of it. */
export function skillIndexEntry(skill: Skill): SkillIndexEntry {
  const { id, manifest, tier } = skill;
  const { name, metadata } = manifest;
  const description = tierMark(tier) + manifest.description;
  return { id, name: metadata['title'] ?? name, description, path: skillLocation(skill) };
}
