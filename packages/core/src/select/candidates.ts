import type { Sidecar } from '../skill/sidecar.ts';
import { type PreparedCatalog, type PreparedSkill, plainName } from './prepared/prepared-catalog.ts';
import type { AgentSettings, LeftOutReason, SelectedBecause, SelectionRequest } from './selection.ts';

/** What a request narrows by. */
type Dimension = 'phase' | 'agent' | 'tags' | 'campaign' | 'section';

/** How the request's words judge a skill: the first three make it a candidate, the others say what speaks against it. */
type Verdict = 'included' | 'configured' | 'fits' | 'excluded' | 'not-named' | Dimension;

/**
 * How a request's words judge each skill by itself, its dependencies and neighbours aside. Everything is by place; what
 * is said about a skill is made when it is asked for.
 */
export interface Candidates {
  isCandidate: Uint8Array;
  /** The places of what is excluded. */
  excluded: readonly number[];
  /** Of a candidate. */
  becauseOf(place: number): SelectedBecause;
  /** Of any other. */
  reasonOf(place: number): LeftOutReason;
  /** Ids in the request and in the configuration that no skill has. */
  unknown: readonly { id: string; namedBy: string }[];
}

/**
 * Rule 1 of design, section 6: what fits the request in phase, agent, tags, campaign and section; what the
 * configuration maps to the phase; and what the request includes. Where the request names the only skills that it wants,
 * those and the included are candidates instead. `exclude` wins over all of them.
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

  const excluded = placesOf(exclude);
  const verdicts =
    only === undefined
      ? verdictsOf(skills.length, narrowings(prepared, request, phase, placesOf(owned)))
      : new Array<Verdict>(skills.length).fill('not-named');
  for (const place of placesOf(configured)) verdicts[place] = 'configured';
  for (const place of placesOf([...(only ?? []), ...include])) verdicts[place] = 'included';
  for (const place of excluded) verdicts[place] = 'excluded';

  return {
    isCandidate: candidatesAmong(verdicts),
    excluded,
    becauseOf: becauseTeller(skills, verdicts, phase, ownOf(prepared, request.agent, placesOf(owned))),
    reasonOf: (place) => reasonOf(verdicts[place], (skills[place] as PreparedSkill).skill.sidecar),
    unknown: unknownAmong(places, exclude, [
      { ids: configured, namedBy: `phases.${mapped?.name}.skills` },
      { ids: owned, namedBy: `agents.${request.agent}.skills` },
      { ids: only ?? [], namedBy: 'only' },
      { ids: include, namedBy: 'include' },
    ]),
  };
}

/** The ids that the configuration gives to an agent, in its order; none for an agent that it does not name. */
export function agentSkills(
  agents: Readonly<Record<string, AgentSettings>>,
  agent: string | null | undefined,
): readonly string[] {
  if (typeof agent !== 'string' || !Object.hasOwn(agents, agent)) return [];
  return agents[agent]?.skills ?? [];
}

/** What the request narrows by, each with the places that fit. */
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

/** By place; of several things that speak against a skill the first. */
function verdictsOf(count: number, narrowing: readonly [Dimension, Uint8Array][]): Verdict[] {
  const verdicts = new Array<Verdict>(count).fill('fits');
  for (const [dimension, fits] of narrowing.toReversed()) {
    for (let place = 0; place < count; place++) if (fits[place] === 0) verdicts[place] = dimension;
  }
  return verdicts;
}

function candidatesAmong(verdicts: readonly Verdict[]): Uint8Array {
  const isCandidate = new Uint8Array(verdicts.length);
  for (const [place, verdict] of verdicts.entries()) {
    if (verdict === 'fits' || verdict === 'included' || verdict === 'configured') isCandidate[place] = 1;
  }
  return isCandidate;
}

/** The skills of an agent by place, each with why it is the agent's. */
function ownOf(
  { named }: PreparedCatalog,
  agent: string | undefined,
  configured: readonly number[],
): ReadonlyMap<number, SelectedBecause> {
  const own = new Map<number, SelectedBecause>();
  if (agent === undefined) return own;
  const byItself: SelectedBecause = { kind: 'agent', agent, namedBy: 'sidecar' };
  for (const [place, isNamed] of named.agents.fitting([agent], false).entries()) {
    if (isNamed === 1) own.set(place, byItself);
  }
  const given: SelectedBecause = { kind: 'agent', agent, namedBy: 'configuration' };
  for (const place of configured) own.set(place, given);
  return own;
}

/** Each reason is made once a request, however many skills have it. */
function becauseTeller(
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
      return { kind: verdict };
    default:
      return { kind: 'excluded' };
  }
}

/** Each once for whoever named it; an id that is excluded is missed by nobody. */
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
