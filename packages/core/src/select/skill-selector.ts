import { type CountTokens, estimateTokens } from '../prompt/count-tokens.ts';
import type { Skill } from '../skill/skill.ts';
import { type Candidacy, findCandidates } from './candidates.ts';
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
import { resolveDependencies } from './resolve-dependencies.ts';
import type {
  LeftOutReason,
  LeftOutSkill,
  PhaseSettings,
  SelectedBecause,
  Selection,
  SelectionCatalog,
  SelectionRequest,
} from './selection.ts';
import { settleConflicts } from './settle-conflicts.ts';

/**
 * Selects skills by the rules of design, section 6. Equal requests get equal answers, whatever the order of the
 * catalog; only of two skills with one id the first stands, and `warnings` says so. Throws `SKILL_CYCLE` when skills that
 * would be selected require one another in a circle.
 */
export function selectSkills(
  catalog: SelectionCatalog,
  request: SelectionRequest,
  countTokens: CountTokens = estimateTokens,
): Selection {
  return skillSelector(catalog, countTokens)(request);
}

/**
 * `selectSkills`, prepared for a catalog once and asked many times. The catalog is not to change meanwhile.
 *
 * Bodies are counted when a budget asks for them, each once; `counted` keeps that. Whoever makes a selector for the
 * next state of a catalog hands it the same map, and skills that are still the same objects are not counted again. It
 * goes with one `countTokens`.
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
    const { candidacies, unknown } = findCandidates(prepared, catalog.agents, request);
    const needed = resolveDependencies(skills, candidacies, intersect);
    const settled = settleConflicts(skills, candidacies, needed.isNeeded);
    const { budgetTokens, warnings } = readBudget(request.budgetTokens);
    const standing = settled.places.map((place) => skills[place] as PreparedSkill);
    const { tokens, reasons } = fitBudget(standing, budgetTokens, countBody);

    const because = becauseOf(skills, candidacies, settled.places);
    const beyondBudget = new Map(
      settled.places.slice(tokens.length).map((place, at) => [place, reasons[at]]),
    );
    const selected = standing.slice(0, tokens.length);
    const phase = settingsOf(prepared, request.phase);
    return {
      skills: selected.map(({ skill }, at) => ({
        skill,
        because: because[at] as SelectedBecause,
        tokens: tokens[at] ?? null,
      })),
      leftOut: [
        ...leftOutOf(skills, new Set(settled.places.slice(0, tokens.length)), (place) => {
          const candidacy = candidacies[place];
          return (
            beyondBudget.get(place) ??
            settled.reasons.get(place) ??
            needed.reasons.get(place) ??
            (candidacy?.isCandidate === false ? candidacy.reason : undefined)
          );
        }),
        ...unknown.map(({ id, namedBy }): LeftOutSkill => ({ id, reason: { kind: 'unknown', namedBy } })),
      ],
      tools: effectiveTools(selected, phase),
      mcpServers: mcpServersOf(selected, request.mcpServers),
      context: contextOf(selected),
      warnings: [
        ...prepared.warnings,
        ...(phase === 'unknown-phase' ? [unknownPhase(prepared, request.phase ?? '')] : []),
        ...warnings,
      ],
    };
  };
}

/** Why each of those at `places` stands; a dependency because of the first in order that requires it. */
function becauseOf(
  skills: readonly PreparedSkill[],
  candidacies: readonly Candidacy[],
  places: readonly number[],
): SelectedBecause[] {
  const dependencies = new Map<number, SelectedBecause>();
  for (const place of places) {
    const { skill, requirements } = skills[place] as PreparedSkill;
    for (const { place: required } of requirements) {
      if (required === undefined || dependencies.has(required)) continue;
      dependencies.set(required, { kind: 'dependency', of: skill.id });
    }
  }
  return places.map((place) => {
    const candidacy = candidacies[place];
    return candidacy?.isCandidate === true ? candidacy.because : (dependencies.get(place) as SelectedBecause);
  });
}

function leftOutOf(
  skills: readonly PreparedSkill[],
  isSelected: ReadonlySet<number>,
  reasonOf: (place: number) => LeftOutReason | undefined,
): LeftOutSkill[] {
  const leftOut: LeftOutSkill[] = [];
  for (const [place, { skill }] of skills.entries()) {
    if (isSelected.has(place)) continue;
    const reason = reasonOf(place);
    if (reason !== undefined) leftOut.push({ id: skill.id, reason });
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

function unknownPhase({ phases }: PreparedCatalog, phase: string): string {
  const names = [...phases.values()].map(({ name }) => name);
  const known =
    names.length === 0 ? 'no phases are configured' : `the configured phases are ${names.join(', ')}`;
  return `the phase ${JSON.stringify(phase.slice(0, 100))} is not configured, so it has no tools; ${known}`;
}
