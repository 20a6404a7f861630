import type { ContextRequirement, McpServers } from '../../skill/sidecar.ts';
import type { Skill } from '../../skill/skill.ts';
import type { PhaseSettings, SelectionCatalog } from '../selection.ts';
import { dependencyOrder } from './dependency-order.ts';
import { type NameIndex, nameIndex } from './name-index.ts';
import { type Requirement, requirementsOf } from './requirement.ts';
import { toolsOf } from './tools-of.ts';
import { uniqueSkills } from './unique-skills.ts';

/** A skill with everything about its neighbours that no request changes. A place is an index into the prepared skills. */
export interface PreparedSkill {
  skill: Skill;
  requirements: readonly Requirement[];
  /** The places of those that require it, ascending. */
  neededBy: readonly number[];
  /** The places of those that it names as conflicts or that name it, ascending. */
  conflicts: readonly number[];
  isForEveryPhase: boolean;
  /** The agent's tools that it asks for; `undefined`: it says nothing of tools. */
  tools: readonly string[] | undefined;
  /** What it wants to know; equal wishes have the same key. */
  context: readonly { key: string; requirement: ContextRequirement }[];
  /** The MCP servers that it brings: name and definition. */
  mcpServers: readonly [name: string, definition: McpServers[string]][];
  /** Whether all that it requires, and all that these require, is there in an accepted version. */
  isComplete: boolean;
  /** Whether it is part of a circle of requirements, or requires one that is. */
  isCircular: boolean;
}

/** A catalog as selection works on it: in order, with its indexes. */
export interface PreparedCatalog {
  /** Dependencies first, then those that somebody vouches for, then by priority, then by id. */
  skills: readonly PreparedSkill[];
  places: ReadonlyMap<string, number>;
  /** Which skills name which phases, agents, …; campaigns and sections as `plainName` has them. */
  named: Readonly<Record<'phases' | 'agents' | 'tags' | 'campaigns' | 'sections', NameIndex>>;
  /** By name in lower case; `name` is as it is written. */
  phases: ReadonlyMap<string, { name: string; settings: PhaseSettings }>;
  warnings: readonly string[];
}

/** Does once what every request needs. Nothing is counted or compared with a request yet. */
export function prepareCatalog({ skills: given, phases = {} }: SelectionCatalog): PreparedCatalog {
  const { skills: ranked, warnings } = uniqueSkills(given);
  const rankOf = new Map(ranked.map(({ id }, rank) => [id, rank]));
  const { order, circular } = dependencyOrder(
    ranked.map(({ sidecar }) => known(rankOf, Object.keys(sidecar.requires))),
  );

  const placed = [...order, ...circular].map((rank) => ranked[rank] as Skill);
  const places = new Map(placed.map(({ id }, place) => [id, place]));
  const find = (id: string): { place: number; skill: Skill } | undefined => {
    const place = places.get(id);
    return place === undefined ? undefined : { place, skill: placed[place] as Skill };
  };
  const skills = placed.map((skill, place) => ({
    skill,
    requirements: requirementsOf(skill, find),
    neededBy: [] as number[],
    conflicts: [] as number[],
    isForEveryPhase: skill.sidecar.phases.length === 0,
    tools: toolsOf(skill),
    context: contextWishes(skill),
    mcpServers: Object.entries(skill.sidecar.mcpServers),
    isComplete: true,
    isCircular: place >= order.length,
  }));
  linkNeighbours(skills, places);
  markIncomplete(skills);
  const sidecars = placed.map(({ sidecar }) => sidecar);
  const named = {
    phases: nameIndex(sidecars.map((its) => its.phases)),
    agents: nameIndex(sidecars.map((its) => its.agents)),
    tags: nameIndex(sidecars.map((its) => its.tags)),
    campaigns: nameIndex(sidecars.map((its) => its.campaigns.map(plainName))),
    sections: nameIndex(sidecars.map((its) => its.sections.map(plainName))),
  };
  return { skills, places, named, ...namedPhases(phases, warnings) };
}

type Linked = PreparedSkill & { neededBy: number[]; conflicts: number[]; isComplete: boolean };

function known(numbers: ReadonlyMap<string, number>, ids: readonly string[]): number[] {
  return ids.map((id) => numbers.get(id)).filter((found) => found !== undefined);
}

function contextWishes({ sidecar }: Skill): PreparedSkill['context'] {
  return sidecar.context.map((requirement) => ({
    key: 'path' in requirement ? `${requirement.type} ${requirement.path}` : requirement.type,
    requirement,
  }));
}

function linkNeighbours(skills: readonly Linked[], places: ReadonlyMap<string, number>): void {
  for (const [place, { skill, requirements, conflicts }] of skills.entries()) {
    for (const { place: needed } of requirements)
      if (needed !== undefined) skills[needed]?.neededBy.push(place);
    for (const other of known(places, skill.sidecar.conflicts)) {
      if (other === place) continue;
      conflicts.push(other);
      skills[other]?.conflicts.push(place);
    }
  }
  for (const each of skills) {
    if (each.conflicts.length > 0) each.conflicts = [...new Set(each.conflicts)].sort((a, b) => a - b);
  }
}

/** Whatever requires something incomplete is incomplete as well. */
function markIncomplete(skills: readonly Linked[]): void {
  const spreading = skills.filter(({ requirements }) => requirements.some(({ isMet }) => !isMet));
  for (let each = spreading.pop(); each !== undefined; each = spreading.pop()) {
    if (!each.isComplete) continue;
    each.isComplete = false;
    for (const place of each.neededBy) spreading.push(skills[place] as Linked);
  }
}

function namedPhases(
  phases: Readonly<Record<string, PhaseSettings>>,
  warnings: readonly string[],
): Pick<PreparedCatalog, 'phases' | 'warnings'> {
  const byName = new Map<string, { name: string; settings: PhaseSettings }>();
  const doubled: string[] = [];
  for (const [name, settings] of Object.entries(phases)) {
    const first = byName.get(plainName(name));
    if (first === undefined) byName.set(plainName(name), { name, settings });
    else
      doubled.push(
        `the phase ${name} is ${first.name} in other letters, whose settings stand; keep one of the two`,
      );
  }
  return { phases: byName, warnings: [...warnings, ...doubled] };
}

/** The name of a phase, campaign or section as it is compared: without case and the blanks around it. */
export function plainName(name: string): string {
  return name.trim().toLowerCase();
}
