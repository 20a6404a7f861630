import { lazy } from '../../lazy.ts';
import type { McpServers } from '../../skill/mcp-servers.ts';
import type { ContextRequirement } from '../../skill/sidecar.ts';
import type { Skill } from '../../skill/skill.ts';
import { meaningsOf, placesByIdAndName } from '../../skill/skill-id.ts';
import type { PhaseSettings, SelectionCatalog } from '../selection.ts';
import { dependencyOrder } from './dependency-order.ts';
import { type NameIndex, nameIndex } from './name-index.ts';
import { type Requirement, requirementsOf } from './requirement.ts';
import { requirementCircles } from './requirement-circles.ts';
import { toolsOf } from './tools-of.ts';
import { uniqueSkills } from './unique-skills.ts';

/**
 * A skill with its relations to others, which no request changes. A place is an index into the
 * prepared skills.
 */
export interface PreparedSkill {
  skill: Skill;
  requirements: readonly Requirement[];
  /** The places of skills that require it, ascending. */
  neededBy: readonly number[];
  /** The places of skills that it conflicts with, in either direction, ascending. */
  conflicts: readonly number[];
  isForEveryPhase: boolean;
  /** The agent's tools that it requests; `undefined` if it does not mention tools. */
  tools: readonly string[] | undefined;
  /** The context that it requires. Equal requirements have equal keys. */
  context: readonly { key: string; requirement: ContextRequirement }[];
  /** The MCP servers that it provides. */
  mcpServers: readonly [name: string, definition: McpServers[string]][];
  /**
   * Whether everything that it requires, directly or indirectly, exists in an accepted version, and
   * nothing of that is in a circle.
   */
  isComplete: boolean;
  /** A circle of requirements that it is in, as in the reason `circle`; `undefined` if in none. */
  circle: readonly string[] | undefined;
}

/** A catalog prepared for selection: ordered and indexed. */
export interface PreparedCatalog {
  /** Dependencies first, then trusted skills, then by priority, then by id. */
  skills: readonly PreparedSkill[];
  /** By id, and by name if only one skill has it. */
  places: ReadonlyMap<string, number>;
  /**
   * The skills that name each phase, agent and so on. Campaigns and sections are normalized with
   * `plainName`.
   */
  named: Readonly<Record<'phases' | 'agents' | 'tags' | 'campaigns' | 'sections', NameIndex>>;
  /** By name in lower case; `name` is as written. */
  phases: ReadonlyMap<string, { name: string; settings: PhaseSettings }>;
  /** The phases that skills name, sorted. */
  phasesOfSkills(): readonly string[];
  warnings: readonly string[];
}

/** Does the work that all requests share. Nothing is counted or compared with a request yet. */
export function prepareCatalog({ skills: given, phases = {} }: SelectionCatalog): PreparedCatalog {
  const { skills: ranked, warnings } = uniqueSkills(given);
  const ranks = placesOf(ranked);
  const { order, circular } = dependencyOrder(
    ranked.map((skill) => known(ranks, skill, Object.keys(skill.sidecar.requires))),
  );

  const placed = [...order, ...circular].map((rank) => ranked[rank] as Skill);
  const places = placesOf(placed);
  const findFor = (by: Skill) => (reference: string) => {
    const [place] = known(places, by, [reference]);
    return place === undefined ? undefined : { place, skill: placed[place] as Skill };
  };
  const skills = placed.map((skill, place) => ({
    skill,
    requirements: requirementsOf(skill, findFor(skill)),
    neededBy: [] as number[],
    conflicts: [] as number[],
    isForEveryPhase: skill.sidecar.phases.length === 0,
    tools: toolsOf(skill),
    context: contextWishes(skill),
    mcpServers: Object.entries(skill.sidecar.mcpServers),
    isComplete: place < order.length,
    circle: undefined as readonly string[] | undefined,
  }));
  linkNeighbours(skills, places);
  markCircles(skills, order.length);
  markIncomplete(skills);
  const sidecars = placed.map(({ sidecar }) => sidecar);
  const named = {
    phases: nameIndex(sidecars.map((its) => its.phases)),
    agents: nameIndex(sidecars.map((its) => its.agents)),
    tags: nameIndex(sidecars.map((its) => its.tags)),
    campaigns: nameIndex(sidecars.map((its) => its.campaigns.map(plainName))),
    sections: nameIndex(sidecars.map((its) => its.sections.map(plainName))),
  };
  const phasesOfSkills = lazy(() => [...new Set(sidecars.flatMap((its) => its.phases))].sort());
  return { skills, places, named, phasesOfSkills, ...namedPhases(phases, warnings) };
}

type LinkedSkill = PreparedSkill & {
  neededBy: number[];
  conflicts: number[];
  isComplete: boolean;
  circle: readonly string[] | undefined;
};

function placesOf(skills: readonly Skill[]): ReadonlyMap<string, number> {
  return placesByIdAndName(skills.map(({ id }) => id));
}

/** The numbers of the skills that a skill refers to. */
function known(numbers: ReadonlyMap<string, number>, by: Skill, references: readonly string[]): number[] {
  return references.flatMap((reference) => {
    const meaning = meaningsOf(reference, by.id).find((id) => numbers.has(id));
    return meaning === undefined ? [] : [numbers.get(meaning) as number];
  });
}

function contextWishes({ sidecar }: Skill): PreparedSkill['context'] {
  return sidecar.context.map((requirement) => ({
    key: 'path' in requirement ? `${requirement.type} ${requirement.path}` : requirement.type,
    requirement,
  }));
}

function linkNeighbours(skills: readonly LinkedSkill[], places: ReadonlyMap<string, number>): void {
  for (const [place, { skill, requirements, conflicts }] of skills.entries()) {
    for (const { place: needed } of requirements)
      if (needed !== undefined) skills[needed]?.neededBy.push(place);
    for (const other of known(places, skill, skill.sidecar.conflicts)) {
      if (other === place) continue;
      conflicts.push(other);
      skills[other]?.conflicts.push(place);
    }
  }
  for (const each of skills) {
    if (each.conflicts.length > 0) each.conflicts = [...new Set(each.conflicts)].sort((a, b) => a - b);
  }
}

/** Skills from the place `first` are in circles or depend on them. Skills of one circle share its chain. */
function markCircles(skills: readonly LinkedSkill[], first: number): void {
  const circular = [...skills.keys()].slice(first);
  const chains = new Map<readonly number[], readonly string[]>();
  for (const [place, circle] of requirementCircles(skills, circular)) {
    const chain = chains.get(circle) ?? circle.map((each) => (skills[each] as LinkedSkill).skill.id);
    chains.set(circle, chain);
    (skills[place] as LinkedSkill).circle = chain;
  }
}

/** A skill that requires an incomplete skill is incomplete too. */
function markIncomplete(skills: readonly LinkedSkill[]): void {
  const spreading = skills.filter(({ requirements }) => requirements.some(({ isMet }) => !isMet));
  for (let each = spreading.pop(); each !== undefined; each = spreading.pop()) {
    if (!each.isComplete) continue;
    each.isComplete = false;
    for (const place of each.neededBy) spreading.push(skills[place] as LinkedSkill);
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
        `phase ${name} differs from ${first.name} only in case and is ignored; remove one of the two`,
      );
  }
  return { phases: byName, warnings: [...warnings, ...doubled] };
}

/**
 * A phase, campaign or section name as it is compared: in lower case, without surrounding blanks.
 */
export function plainName(name: string): string {
  return name.trim().toLowerCase();
}
