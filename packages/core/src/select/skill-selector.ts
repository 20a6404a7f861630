import { lazy } from '../lazy.ts';
import { type CountTokens, estimateTokens } from '../model-text/count-tokens.ts';
import { nearest } from '../skill/issues.ts';
import type { Skill } from '../skill/skill.ts';
import { type Candidates, findCandidates } from './candidates.ts';
import { contextOf } from './effective/context.ts';
import { mcpServerRules } from './effective/mcp-servers.ts';
import { effectiveTools } from './effective/tools.ts';
import { bodyTokens, fitBudget, readBudget } from './fit-budget.ts';
import {
  type PreparedCatalog,
  type PreparedSkill,
  plainName,
  prepareCatalog,
} from './prepared/prepared-catalog.ts';
import { rangeIntersections } from './range-intersections.ts';
import { chainText, leftOutText } from './reason-text.ts';
import { resolveConflicts } from './resolve-conflicts.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import type {
  AgentSettings,
  LeftOutReason,
  LeftOutSkill,
  PhaseSettings,
  SelectedBecause,
  Selection,
  SelectionCatalog,
  SelectionRequest,
} from './selection.ts';

/**
 * Selects skills: candidates, what they require, what conflicts leave, and what the token budget
 * allows, in these four steps. Equal requests get equal results regardless of
 * the order of the catalog, with one exception: if two skills have the same id, the first is used,
 * with a warning.
 */
export function selectSkills(
  catalog: SelectionCatalog,
  request: SelectionRequest,
  countTokens: CountTokens = estimateTokens,
): Selection {
  return skillSelector(catalog, countTokens)(request);
}

/**
 * `selectSkills`, prepared once for a catalog, which must not change.
 *
 * Bodies are counted only for a budget, once each, and cached in `counted`. Pass the same map to
 * the selector for the next state of a catalog, so that unchanged skill objects are not counted
 * again. The map belongs to one `countTokens`.
 */
export function skillSelector(
  catalog: SelectionCatalog,
  countTokens: CountTokens = estimateTokens,
  counted: WeakMap<Skill, number> = new WeakMap(),
): (request: SelectionRequest) => Selection {
  const prepared = prepareCatalog(catalog);
  const { skills } = prepared;
  const intersect = rangeIntersections();
  const countBody = bodyTokens(countTokens, counted);
  const mcpServersOf = mcpServerRules(catalog.mcpServers);

  return (request) => {
    const candidates = findCandidates(prepared, catalog.agents, request);
    const needed = resolveDependencies(skills, candidates, intersect);
    const resolved = resolveConflicts(skills, candidates.isCandidate, needed.isNeeded);
    const { budgetTokens, warnings } = readBudget(request.budgetTokens);
    const standing = resolved.places.map((place) => skills[place] as PreparedSkill);
    const { tokens, reasons } = fitBudget(standing, budgetTokens, countBody);

    const selected = standing.slice(0, tokens.length);
    const because = becauseOf(candidates, resolved.places, standing);
    const found = new Map([...needed.reasons, ...resolved.reasons]);
    for (const [at, reason] of reasons.entries()) {
      found.set(resolved.places[tokens.length + at] as number, reason);
    }
    const phase = settingsOf(prepared, request.phase);
    const leftOut = lazy(() => [
      ...leftOutOf(
        skills,
        resolved.places.slice(0, tokens.length),
        (place) => found.get(place) ?? candidates.reasonOf(place),
      ),
      ...candidates.unknown.map(
        ({ id, namedBy }): LeftOutSkill => ({ id, reason: { kind: 'unknown', namedBy } }),
      ),
    ]);
    return {
      skills: selected.map(({ skill }, at) => ({ skill, because: because(at), tokens: tokens[at] ?? null })),
      // Built on demand: it lists nearly all of a thousand skills, and only explanations use it.
      get leftOut() {
        return leftOut();
      },
      tools: effectiveTools(selected, phase),
      mcpServers: mcpServersOf(selected, request.mcpServers),
      context: contextOf(selected),
      warnings: [
        ...prepared.warnings,
        ...(phase === 'unknown-phase' ? unknownPhase(prepared, request.phase ?? '') : []),
        ...unknownAgent(prepared, catalog.agents, request.agent),
        ...unknownIds(candidates.unknown, prepared),
        ...circleWarnings(needed.reasons.values()),
        ...warnings,
      ],
    };
  };
}

/**
 * Returns the reason for selecting each skill. A dependency names the first skill in order that requires
 * it.
 */
function becauseOf(
  candidates: Pick<Candidates, 'isCandidate' | 'becauseOf'>,
  places: readonly number[],
  standing: readonly PreparedSkill[],
): (at: number) => SelectedBecause {
  const dependents = new Map<number, string>();
  for (const { skill, requirements } of standing) {
    for (const { place } of requirements) {
      if (place !== undefined && !dependents.has(place)) dependents.set(place, skill.id);
    }
  }
  return (at) => {
    const place = places[at] ?? -1;
    if (candidates.isCandidate[place] === 1) return candidates.becauseOf(place);
    return { kind: 'dependency', of: dependents.get(place) ?? '' };
  };
}

/** One line for each, such as a typo in `only`. */
function unknownIds(unknown: Candidates['unknown'], { places }: PreparedCatalog): string[] {
  const shown = unknown.slice(0, namesMax).map(({ id, namedBy }) => {
    const near = nearest(id, [...places.keys()]);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return leftOutText({ id, reason: { kind: 'unknown', namedBy } }) + hint;
  });
  const more = unknown.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more named ids have no skill`];
}

/** Without these, a prompt would lack the skills and not show it. */
function circleWarnings(reasons: Iterable<LeftOutReason>): string[] {
  const chains = new Set<readonly string[]>();
  for (const reason of reasons) if (reason.kind === 'circle') chains.add(reason.chain);
  const texts = [...chains].slice(0, namesMax).map(chainText);
  if (texts.length === 0) return [];
  if (chains.size > namesMax) texts.push(`and ${chains.size - namesMax} more`);
  return [`skills that require each other in a circle are left out: ${texts.join('; ')}`];
}

/** `selected` is ascending. */
function leftOutOf(
  skills: readonly PreparedSkill[],
  selected: readonly number[],
  reasonOf: (place: number) => LeftOutReason,
): LeftOutSkill[] {
  const leftOut: LeftOutSkill[] = [];
  let next = 0;
  for (let place = 0; place < skills.length; place++) {
    if (selected[next] === place) next++;
    else leftOut.push({ id: (skills[place] as PreparedSkill).skill.id, reason: reasonOf(place) });
  }
  return leftOut;
}

function settingsOf(
  { phases }: PreparedCatalog,
  phase: string | undefined,
): PhaseSettings | 'no-phase' | 'unknown-phase' {
  if (phase === undefined) return 'no-phase';
  return phases.get(plainName(phase))?.settings ?? 'unknown-phase';
}

/** An agent exists if the configuration or a skill names it. */
function unknownAgent(
  { named }: PreparedCatalog,
  agents: Readonly<Record<string, AgentSettings>> = {},
  agent: string | undefined,
): string[] {
  if (agent === undefined || Object.hasOwn(agents, agent)) return [];
  if (named.agents.fitting([agent], false).includes(1)) return [];
  const names = Object.keys(agents);
  const known = names.length === 0 ? 'no agents are configured' : `configured agents: ${names.join(', ')}`;
  return [
    `the agent ${JSON.stringify(agent.slice(0, 100))} is not configured, and no skill names it; ${known}`,
  ];
}

/** A phase that no skill names either is probably a typo. */
function unknownPhase({ phases, phasesOfSkills }: PreparedCatalog, phase: string): string[] {
  const quoted = JSON.stringify(phase.slice(0, 100));
  const configured = [...phases.values()].map(({ name }) => name);
  const known =
    configured.length === 0 ? 'no phases are configured' : `configured phases: ${configured.join(', ')}`;
  const withoutTools = `the phase ${quoted} is not configured, so it has no tools; ${known}`;
  const named = phasesOfSkills();
  if (named.length === 0 || named.includes(plainName(phase))) return [withoutTools];
  const near = nearest(phase, [...named, ...configured]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const listed = [...named.slice(0, namesMax), ...(named.length > namesMax ? ['…'] : [])].join(', ');
  return [`no skill names the phase ${quoted}; the skills name: ${listed}${hint}`, withoutTools];
}

const namesMax = 20;
