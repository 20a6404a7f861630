import type { Skill } from '../skill/skill.ts';
import { type PreparedCatalog, plainName } from './prepared/prepared-catalog.ts';
import type { AgentSettings, LeftOutReason, SelectedBecause, SelectionRequest } from './selection.ts';

/** What the request says of a skill by itself, its dependencies and neighbours aside. */
export type Candidacy =
  | { isCandidate: true; because: SelectedBecause }
  | { isCandidate: false; reason: LeftOutReason };

/** How a request's words judge a single skill, and the ids in them and in the configuration that no skill has. */
export interface Candidates {
  /** By place. */
  candidacies: readonly Candidacy[];
  unknown: readonly { id: string; namedBy: string }[];
}

type Judge = (skill: Skill) => LeftOutReason | undefined;

/**
 * Rule 1 of design, section 6: what fits the request in phase, agent, tags, campaign and section; what the
 * configuration maps to the phase; and what the request includes. `exclude` wins over all of them.
 */
export function findCandidates(
  { skills, places, phases }: PreparedCatalog,
  agents: Readonly<Record<string, AgentSettings>> = {},
  request: SelectionRequest,
): Candidates {
  const phase = request.phase === undefined ? undefined : plainName(request.phase);
  const mapped = phase === undefined ? undefined : phases.get(phase);
  const owned = agentSkills(agents, request.agent);
  const [configured, included, excluded, owns] = [
    new Set(mapped?.settings.skills),
    new Set(request.include),
    new Set(request.exclude),
    new Set(owned),
  ];
  const judges = judgesOf(request, phase, owns);
  const reasons = becauseOf(phase);

  return {
    candidacies: skills.map(({ skill }): Candidacy => {
      if (excluded.has(skill.id)) return { isCandidate: false, reason: { kind: 'excluded' } };
      if (included.has(skill.id)) return reasons.included;
      if (configured.has(skill.id)) return reasons.configured;
      for (const judge of judges) {
        const reason = judge(skill);
        if (reason !== undefined) return { isCandidate: false, reason };
      }
      if (skill.sidecar.phases.length === 0) return reasons.everyPhase;
      return reasons.phase;
    }),
    unknown: [
      { ids: configured, namedBy: `phases.${mapped?.name}.skills` },
      { ids: owns, namedBy: `agents.${request.agent}.skills` },
      { ids: included, namedBy: 'include' },
    ].flatMap(({ ids, namedBy }) =>
      [...ids].filter((id) => !places.has(id) && !excluded.has(id)).map((id) => ({ id, namedBy })),
    ),
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

/** One for each thing that the request narrows by; the first that objects is the reason. */
function judgesOf(
  { agent, tags = [], campaign, section }: SelectionRequest,
  phase: string | undefined,
  owns: ReadonlySet<string>,
): Judge[] {
  const judges: Judge[] = [];
  if (phase !== undefined) {
    judges.push(({ sidecar: { phases: its } }) =>
      its.length === 0 || its.includes(phase) ? undefined : { kind: 'phase', its },
    );
  }
  if (agent !== undefined) {
    judges.push(({ id, sidecar: { agents: its } }) =>
      its.length === 0 || its.includes(agent) || owns.has(id) ? undefined : { kind: 'agent', its },
    );
  }
  if (tags.length > 0) {
    judges.push(({ sidecar: { tags: its } }) =>
      its.some((tag) => tags.includes(tag)) ? undefined : { kind: 'tags', its },
    );
  }
  if (campaign !== undefined) judges.push(namedOrAny('campaign', 'campaigns', campaign));
  if (section !== undefined) judges.push(namedOrAny('section', 'sections', section));
  return judges;
}

function namedOrAny(kind: 'campaign' | 'section', field: 'campaigns' | 'sections', asked: string): Judge {
  const key = plainName(asked);
  return ({ sidecar: { [field]: its } }) =>
    its.length === 0 || its.some((each) => plainName(each) === key) ? undefined : { kind, its };
}

/** Each made once a request, however many skills share it. */
function becauseOf(
  phase: string | undefined,
): Record<'included' | 'configured' | 'everyPhase' | 'phase', Candidacy> {
  const candidate = (because: SelectedBecause): Candidacy => ({ isCandidate: true, because });
  return {
    included: candidate({ kind: 'included' }),
    configured: candidate({ kind: 'configured', phase: phase ?? '' }),
    everyPhase: candidate({ kind: 'every-phase' }),
    phase: candidate(phase === undefined ? { kind: 'no-phase' } : { kind: 'phase', phase }),
  };
}
