import type { CallRecord } from '../audit/call-record-schema.ts';
import { noCapabilities } from '../capability/capabilities.ts';
import { type Denial, grantLine } from '../capability/denial.ts';
import { items } from '../capability/items.ts';
import type { SkillGrant } from '../capability/skill-grant.ts';
import { judgeItem, notGranted, onlyTrusted, tierRemedy } from '../grant/judge-item.ts';
import type { Policy } from '../grant/policy.ts';
import type { Skill } from '../skill/skill.ts';
import { capabilitiesOf, includes, joined, type Wished } from './joined.ts';
import { type Evidence, type Observed, observedLacks, type Requester, together } from './observed.ts';
import type { ExcludedItem, Proposal } from './proposal.ts';
import { unusedItems } from './unused.ts';
import { type HostPlaces, whatItOpens } from './what-it-opens.ts';
import { isChoice, type Wish, wishFor, wishOfDenial } from './wish.ts';

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
  const wished = joined(lacks.flatMap((lack) => ('excluded' in lack ? [] : [lack]))).toSorted(
    (a, b) =>
      Number(a.broad) - Number(b.broad) || Number(a.from !== 'refusal') - Number(b.from !== 'refusal'),
  );
  const added = wished.filter((each) => broad === true || !each.broad);
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
    items: wished.map(
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
interface Excluded extends Evidence {
  excluded: Pick<Denial, 'capability' | 'reason' | 'remedy'> & { item: string };
}

interface Judging {
  skill: Skill;
  policy: Policy;
  operator: SkillGrant;
  places: HostPlaces;
}

/** A lack as an item to propose or to exclude; `undefined` if today's grant and request cover it. */
function judgedLack(
  { lack, requester, ...evidence }: Observed,
  judging: Judging,
): Wished | Excluded | undefined {
  if (!('denial' in lack)) {
    const wish = wishFor(lack.kind, lack.item);
    // Only its own text names it, so it must not be a pattern or a set.
    if (wish === undefined || /^@|\*/.test(wish.item.text)) return undefined;
    return wishedOrExcluded(wish, { from: lack.from, requester, evidence, judging });
  }
  const { denial, wasRun } = lack;
  const wish = isChoice(denial) ? undefined : wishOfDenial(denial, wasRun);
  if (wish === 'unusable') {
    const { capability, requested, reason } = denial;
    return { ...evidence, excluded: { ...unusable(reason), capability, item: requested } };
  }
  if (wish !== undefined) return wishedOrExcluded(wish, { from: 'refusal', requester, evidence, judging });
  return isCurrent(denial, judging) ? { ...evidence, excluded: unchangeable(denial, judging) } : undefined;
}

function wishedOrExcluded(
  wish: Wish,
  {
    from,
    requester,
    evidence,
    judging,
  }: { from: Wished['from']; requester: Requester; evidence: Evidence; judging: Judging },
): Wished | Excluded | undefined {
  const lack = missing(wish, requester, judging);
  const { kind: capability, text: item } = wish.item;
  if (lack === undefined) return undefined;
  if ('reason' in lack) return { ...evidence, excluded: { capability, item, ...lack } };
  const { places } = judging;
  if (item.startsWith('/') && places.exists?.(item) === false)
    return { ...evidence, excluded: { capability, item, ...absent } };
  return { ...wish, ...evidence, ...lack, from, ...whatItOpens(wish.item, places) };
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

type Lack = Pick<Wished, 'grant' | 'scripts'>;

/** Returns the place where an item is missing now, or why it is not proposed; `undefined` if nothing is missing. */
function missing(
  wish: Wish,
  requester: Requester,
  { skill, policy, operator }: Judging,
): Lack | Pick<Denial, 'reason' | 'remedy'> | undefined {
  const verdict = judgeItem(policy, skill, operator, wish.item);
  if (verdict !== undefined && verdict.reason !== notGranted) return verdict;
  if (requester === 'operator' && skill.tier === 'untrusted' && wish.item.text !== 'workspace')
    return { reason: onlyTrusted, remedy: tierRemedy(skill) };
  if (requester === 'operator')
    return includes(operator, wish) || wish.item.text === 'workspace'
      ? undefined
      : { grant: true, scripts: new Set() };
  if (requester === 'none')
    return {
      reason: 'was missing for a script that has no request of its own',
      remedy: `name the script and its capabilities under run.scripts in the ambit.yaml of ${skill.id}`,
    };
  const isRequested = includes(requester.run.capabilities, wish);
  const lack = {
    grant: verdict !== undefined,
    scripts: new Set(isRequested ? [] : [requester.name ?? null]),
  };
  return lack.grant || lack.scripts.size > 0 ? lack : undefined;
}

/** Whether today's configuration still leads to a refusal that no grant changes. */
function isCurrent(denial: Denial, { skill, policy, operator }: Judging): boolean {
  const { capability } = denial;
  if (capability === 'run') return !policy.tiers[skill.tier].processSkills;
  if (capability === 'host') return operator.host !== true;
  return !isChoice(denial) || !items(operator).some(({ kind }) => kind === capability);
}

function unchangeable(denial: Denial, { skill, operator }: Judging): Excluded['excluded'] {
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

function excludedItems(all: readonly Excluded[]): ExcludedItem[] {
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
