import type { CallRecord } from '../audit/call-record-schema.ts';
import { noCapabilities } from '../capability/capabilities.ts';
import { type Denial, grantLine } from '../capability/denial.ts';
import { items } from '../capability/items.ts';
import type { SkillGrant } from '../capability/skill-grant.ts';
import { judgeItem, notGranted, onlyTrusted, tierRemedy } from '../grant/judge-item.ts';
import type { Policy } from '../grant/policy.ts';
import type { Skill } from '../skill/skill.ts';
import { capabilitiesOf, includes, joinNeeds, type KnownNeed } from './join-needs.ts';
import { isChoice, type Need, needFor, needOfDenial } from './need.ts';
import { type Evidence, type ObservedLack, observedLacks, type Requester, together } from './observed.ts';
import type { ExcludedItem, Proposal } from './proposal.ts';
import { unusedItems } from './unused.ts';
import { type HostPlaces, whatItOpens } from './what-it-opens.ts';

/** The facts and records that a proposal is based on. */
export interface ProposalBasis {
  skill: Skill;
  /** Newest first. Records of other skills are ignored. */
  records: readonly CallRecord[];
  /** Whether there are older records. */
  more: boolean;
  policy: Policy;
  places: HostPlaces;
  /** Whether `grant` and `requests` include broad items. Default: no. */
  broad?: boolean | undefined;
}

/**
 * The smallest change of the operator's grant, and of the skill's request, that covers what recorded
 * calls lacked. Refusals that today's grant and request cover are left out. Items that a deny rule
 * or the tier excludes are listed with what would have to change.
 */
export function proposeGrant({ skill, records, more, policy, places, broad }: ProposalBasis): Proposal {
  const own = records.filter((record) => record.skill?.id === skill.id);
  const operator = policy.grants.get(skill.id) ?? noCapabilities;
  const { lacks: observed, cut } = observedLacks(skill, own);
  const lacks = observed.flatMap((lack) => judgedLack(lack, { skill, policy, operator, places }) ?? []);
  const needs = joinNeeds(lacks.flatMap((lack) => ('excluded' in lack ? [] : [lack]))).toSorted(
    (a, b) =>
      Number(a.broad) - Number(b.broad) || Number(a.from !== 'refusal') - Number(b.from !== 'refusal'),
  );
  const added = needs.filter((each) => broad === true || !each.broad);
  const scripts = [...new Set(added.flatMap((each) => [...each.scripts]))];
  return {
    skill: skill.id,
    digest: skill.digest,
    tier: skill.tier,
    records: {
      count: own.length,
      refused: new Set(lacks.flatMap(({ calls }) => [...calls])).size,
      first: own.at(-1)?.startedAt ?? null,
      last: own[0]?.startedAt ?? null,
      more,
      cut,
    },
    items: needs.map(
      ({ item, calls, first, last, from, grant, scripts: lacking, warning, broad: isBroad }) => ({
        capability: item.kind,
        item: item.text,
        calls: calls.size,
        first,
        last,
        from,
        grant,
        scripts: [...lacking],
        warning,
        broad: isBroad,
      }),
    ),
    grant: capabilitiesOf(added.filter((each) => each.grant)),
    requests: scripts.map((script) => ({
      script,
      capabilities: capabilitiesOf(added.filter((each) => each.scripts.has(script))),
    })),
    excluded: excludedItems(lacks.filter((lack) => 'excluded' in lack)),
    unused: unusedItems(operator, own),
  };
}

/** A lack that is not proposed. */
interface ExcludedLack extends Evidence {
  excluded: Pick<Denial, 'capability' | 'reason' | 'remedy'> & { item: string };
}

interface ProposalContext {
  skill: Skill;
  policy: Policy;
  operator: SkillGrant;
  places: HostPlaces;
}

/** A lack as an item to propose or to exclude; `undefined` if today's grant and request cover it. */
function judgedLack(
  { lack, requester, ...evidence }: ObservedLack,
  context: ProposalContext,
): KnownNeed | ExcludedLack | undefined {
  if (!('denial' in lack)) {
    const need = needFor(lack.kind, lack.item);
    // Only its own text names it, so it must not be a pattern or a set.
    if (need === undefined || /^@|\*/.test(need.item.text)) return undefined;
    return judgedNeed(need, { from: lack.from, requester, evidence, context });
  }
  const { denial, wasRun } = lack;
  const need = isChoice(denial) ? undefined : needOfDenial(denial, wasRun);
  if (need === 'unusable') {
    const { capability, requested, reason } = denial;
    return { ...evidence, excluded: { ...unusable(reason), capability, item: requested } };
  }
  if (need !== undefined) return judgedNeed(need, { from: 'refusal', requester, evidence, context });
  return isCurrent(denial, context) ? { ...evidence, excluded: unchangeable(denial, context) } : undefined;
}

function judgedNeed(
  need: Need,
  {
    from,
    requester,
    evidence,
    context,
  }: { from: KnownNeed['from']; requester: Requester; evidence: Evidence; context: ProposalContext },
): KnownNeed | ExcludedLack | undefined {
  const lack = missing(need, requester, context);
  const { kind: capability, text: item } = need.item;
  if (lack === undefined) return undefined;
  if ('reason' in lack) return { ...evidence, excluded: { capability, item, ...lack } };
  const { places } = context;
  if (item.startsWith('/') && places.exists?.(item) === false)
    return { ...evidence, excluded: { capability, item, ...absent } };
  return { ...need, ...evidence, ...lack, from, ...whatItOpens(need.item, places) };
}

/** A call with a grant of a path that does not exist is refused. */
const absent = {
  reason: 'does not exist on this machine',
  remedy: 'create it, or send the file with the call; then run this command again',
};

/** Text of a skill that is not exactly one item. */
function unusable(reason: string): Pick<Denial, 'reason' | 'remedy'> {
  return {
    reason: `${reason}, and no grant allows exactly that: it is a pattern, or has hidden or invalid characters`,
    remedy: 'find out why the skill needs it, and write a grant yourself',
  };
}

type Lack = Pick<KnownNeed, 'grant' | 'scripts'>;

/** Returns the place where an item is missing now, or why it is not proposed; `undefined` if nothing is missing. */
function missing(
  need: Need,
  requester: Requester,
  { skill, policy, operator }: ProposalContext,
): Lack | Pick<Denial, 'reason' | 'remedy'> | undefined {
  const verdict = judgeItem(policy, skill, operator, need.item);
  if (verdict !== undefined && verdict.reason !== notGranted) return verdict;
  if (requester === 'operator' && skill.tier === 'untrusted' && need.item.text !== 'workspace')
    return { reason: onlyTrusted, remedy: tierRemedy(skill) };
  if (requester === 'operator')
    return includes(operator, need) || need.item.text === 'workspace'
      ? undefined
      : { grant: true, scripts: new Set() };
  if (requester === 'none')
    return {
      reason: 'was missing for a script that has no request of its own',
      remedy: `name the script and its capabilities under run.scripts in the ambit.yaml of ${skill.id}`,
    };
  const isRequested = includes(requester.run.capabilities, need);
  const lack = {
    grant: verdict !== undefined,
    scripts: new Set(isRequested ? [] : [requester.name ?? null]),
  };
  return lack.grant || lack.scripts.size > 0 ? lack : undefined;
}

/** Whether today's configuration still leads to a refusal that no grant changes. */
function isCurrent(denial: Denial, { skill, policy, operator }: ProposalContext): boolean {
  const { capability } = denial;
  if (capability === 'run') return !policy.tiers[skill.tier].processSkills;
  if (capability === 'host') return operator.host !== true;
  return !isChoice(denial) || !items(operator).some(({ kind }) => kind === capability);
}

function unchangeable(denial: Denial, { skill, operator }: ProposalContext): ExcludedLack['excluded'] {
  const { capability, requested, reason, remedy } = denial;
  if (capability === 'host')
    return { capability, item: requested, reason, remedy: 'grant only what it needs; no proposal has host' };
  if (capability === 'run' || !isChoice(denial)) return { capability, item: requested, reason, remedy };
  return {
    capability,
    item: requested,
    reason: `is not granted, and ${skill.id} leaves the choice to you`,
    remedy: grantLine(skill.id, capability, undefined, operator),
  };
}

function excludedItems(all: readonly ExcludedLack[]): ExcludedItem[] {
  const groups = Map.groupBy(all, ({ excluded: { capability, item, reason } }) =>
    JSON.stringify([capability, item, reason]),
  );
  return [...groups.values()].flatMap((same) => {
    const [newest] = same;
    if (newest === undefined) return [];
    const { calls, first, last } = same.reduce<Evidence>(together, newest);
    return [{ ...newest.excluded, calls: calls.size, first, last }];
  });
}
