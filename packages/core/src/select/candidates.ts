import { partsOfId } from '../skill/id-parts.ts';
import type { Sidecar } from '../skill/sidecar.ts';
import { isForModels } from '../skill/skill.ts';
import { type PreparedCatalog, type PreparedSkill, plainName } from './prepared/prepared-catalog.ts';
import type { AgentSettings, LeftOutReason, SelectedBecause, SelectionRequest } from './selection.ts';

/** The filters of a request. */
type Dimension = 'phase' | 'agent' | 'tags' | 'campaign' | 'section';

/**
 * The verdict of a request on a skill. The first three make it a candidate; the others are the reason
 * against it.
 */
type Verdict = 'included' | 'configured' | 'fits' | 'excluded' | 'for-people' | 'not-named' | Dimension;

/**
 * The verdicts of a request on each skill, regardless of dependencies and conflicts. Everything is by
 * place. Reasons are built on demand.
 */
export interface Candidates {
  isCandidate: Uint8Array;
  /** The places of excluded skills, and of skills for people that nothing names. */
  excluded: readonly number[];
  /** For candidates. */
  becauseOf(place: number): SelectedBecause;
  /** For all other skills. */
  reasonOf(place: number): LeftOutReason;
  /** Ids in the request and in the configuration that no skill has. */
  unknown: readonly { id: string; namedBy: string }[];
}

/**
 * The first step of a selection. Candidates are skills that match the request's phase, agent, tags,
 * campaign and section, skills that the configuration maps to the phase, and skills that the
 * request includes. With `only`, candidates are the named and the included skills. `exclude`
 * overrides all of these.
 */
export function findCandidates(
  prepared: PreparedCatalog,
  agents: Readonly<Record<string, AgentSettings>> = {},
  request: SelectionRequest,
): Candidates {
  const { skills, places, phases } = prepared;
  const phase = request.phase === undefined ? undefined : plainName(request.phase);
  const mapped = phase === undefined ? undefined : phases.get(phase);
  const { only, include = [], exclude = [] } = request;
  const configured = only === undefined ? (mapped?.settings.skills ?? []) : [];
  const owned = only === undefined ? agentSkills(agents, request.agent) : [];
  const placesOf = (ids: readonly string[]): number[] =>
    ids.map((id) => places.get(id)).filter((place) => place !== undefined);

  const excluded = [
    ...placesOf(exclude),
    ...placesNamed(
      skills,
      exclude.filter((id) => !places.has(id)),
    ),
  ];
  const verdicts =
    only === undefined
      ? verdictsOf(skills.length, narrowings(prepared, request, phase, placesOf(owned)))
      : new Array<Verdict>(skills.length).fill('not-named');
  for (const place of placesOf(configured)) verdicts[place] = 'configured';
  for (const place of placesOf([...(only ?? []), ...include])) verdicts[place] = 'included';
  // The configuration and a request are written by people, who may give such a skill to a model.
  const named = new Set(placesOf([...configured, ...owned, ...(only ?? []), ...include]));
  const forPeople = skills.flatMap(({ skill }, place) =>
    isForModels(skill) || named.has(place) ? [] : [place],
  );
  for (const place of forPeople) verdicts[place] = 'for-people';
  for (const place of excluded) verdicts[place] = 'excluded';

  return {
    isCandidate: candidatesAmong(verdicts),
    excluded: [...excluded, ...forPeople],
    becauseOf: becauseGetter(skills, verdicts, phase, agentPlaces(prepared, request.agent, placesOf(owned))),
    reasonOf: (place) => reasonOf(verdicts[place], (skills[place] as PreparedSkill).skill.sidecar),
    unknown: unknownAmong(places, exclude, [
      { ids: configured, namedBy: `phases.${mapped?.name}.skills` },
      { ids: owned, namedBy: `agents.${request.agent}.skills` },
      { ids: only ?? [], namedBy: 'only' },
      { ids: include, namedBy: 'include' },
    ]),
  };
}

/** The places of all skills with these names. Excluding a name that several skills have excludes all of them. */
function placesNamed(skills: PreparedCatalog['skills'], names: readonly string[]): number[] {
  if (names.length === 0) return [];
  return skills.flatMap(({ skill: { id } }, place) => (names.includes(partsOfId(id).name) ? [place] : []));
}

/** The ids that the configuration assigns to an agent, in its order. Empty for an unknown agent. */
export function agentSkills(
  agents: Readonly<Record<string, AgentSettings>>,
  agent: string | null | undefined,
): readonly string[] {
  if (typeof agent !== 'string' || !Object.hasOwn(agents, agent)) return [];
  return agents[agent]?.skills ?? [];
}

/** The filters that the request uses, each with the places that match. */
function narrowings(
  { named }: PreparedCatalog,
  { agent, tags = [], campaign, section }: SelectionRequest,
  phase: string | undefined,
  owned: readonly number[],
): [Dimension, Uint8Array][] {
  const all: [Dimension, Uint8Array][] = [];
  if (phase !== undefined) all.push(['phase', named.phases.fitting([phase], true)]);
  if (agent !== undefined) {
    const fits = named.agents.fitting([agent], true);
    for (const place of owned) fits[place] = 1;
    all.push(['agent', fits]);
  }
  if (tags.length > 0) all.push(['tags', named.tags.fitting(tags, false)]);
  if (campaign !== undefined) all.push(['campaign', named.campaigns.fitting([plainName(campaign)], true)]);
  if (section !== undefined) all.push(['section', named.sections.fitting([plainName(section)], true)]);
  return all;
}

/** By place. If several filters reject a skill, the first counts. */
function verdictsOf(count: number, narrowing: readonly [Dimension, Uint8Array][]): Verdict[] {
  const verdicts = new Array<Verdict>(count).fill('fits');
  for (const [dimension, fits] of narrowing.toReversed()) {
    for (let place = 0; place < count; place++) if (fits[place] === 0) verdicts[place] = dimension;
  }
  return verdicts;
}

function candidatesAmong(verdicts: readonly Verdict[]): Uint8Array {
  const isCandidate = new Uint8Array(verdicts.length);
  for (let place = 0; place < verdicts.length; place++) {
    const verdict = verdicts[place];
    if (verdict === 'fits' || verdict === 'included' || verdict === 'configured') isCandidate[place] = 1;
  }
  return isCandidate;
}

/** The skills of an agent by place, each with the reason. */
function agentPlaces(
  { named }: PreparedCatalog,
  agent: string | undefined,
  configured: readonly number[],
): ReadonlyMap<number, SelectedBecause> {
  const own = new Map<number, SelectedBecause>();
  if (agent === undefined) return own;
  const byItself: SelectedBecause = { kind: 'agent', agent, namedBy: 'sidecar' };
  const isNamed = named.agents.fitting([agent], false);
  for (let place = 0; place < isNamed.length; place++) if (isNamed[place] === 1) own.set(place, byItself);
  const byConfiguration: SelectedBecause = { kind: 'agent', agent, namedBy: 'configuration' };
  for (const place of configured) own.set(place, byConfiguration);
  return own;
}

/** Reasons are built once per request and shared by skills. */
function becauseGetter(
  skills: PreparedCatalog['skills'],
  verdicts: readonly Verdict[],
  phase: string | undefined,
  own: ReadonlyMap<number, SelectedBecause>,
): (place: number) => SelectedBecause {
  const included: SelectedBecause = { kind: 'included' };
  const configured: SelectedBecause = { kind: 'configured', phase: phase ?? '' };
  const everyPhase: SelectedBecause = { kind: 'every-phase' };
  const itsPhase: SelectedBecause = phase === undefined ? { kind: 'no-phase' } : { kind: 'phase', phase };
  return (place) => {
    if (verdicts[place] === 'included') return included;
    if (verdicts[place] === 'configured') return configured;
    const owned = own.get(place);
    if (owned !== undefined) return owned;
    return skills[place]?.isForEveryPhase === true ? everyPhase : itsPhase;
  };
}

function reasonOf(verdict: Verdict | undefined, sidecar: Sidecar): LeftOutReason {
  switch (verdict) {
    case 'phase':
      return { kind: verdict, its: sidecar.phases };
    case 'agent':
      return { kind: verdict, its: sidecar.agents };
    case 'tags':
      return { kind: verdict, its: sidecar.tags };
    case 'campaign':
      return { kind: verdict, its: sidecar.campaigns };
    case 'section':
      return { kind: verdict, its: sidecar.sections };
    case 'not-named':
    case 'for-people':
      return { kind: verdict };
    default:
      return { kind: 'excluded' };
  }
}

/** No duplicates per origin. Excluded ids are not reported. */
function unknownAmong(
  places: ReadonlyMap<string, number>,
  exclude: readonly string[],
  named: readonly { ids: readonly string[]; namedBy: string }[],
): Candidates['unknown'] {
  const unknown = named.flatMap(({ ids, namedBy }) =>
    [...new Set(ids)].filter((id) => !places.has(id)).map((id) => ({ id, namedBy })),
  );
  if (unknown.length === 0) return unknown;
  const unwanted = new Set(exclude);
  return unknown.filter(({ id }) => !unwanted.has(id));
}
