import type { CallRecord } from '../audit/call-record.ts';
import { type Capabilities, noCapabilities } from '../capability/capabilities.ts';
import { type Denial, grantLine } from '../capability/denial.ts';
import { items } from '../capability/items.ts';
import { judgeItem, notGranted } from '../grant/judge-item.ts';
import type { Policy } from '../grant/policy.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import type { Run } from '../skill/run.ts';
import { declaredRuns, type Skill } from '../skill/skill.ts';
import { capabilitiesOf, includes, joined, type Wished } from './joined.ts';
import type { ExcludedItem, Proposal } from './proposal.ts';
import { lackInOutput } from './stored-output.ts';
import { unusedItems } from './unused.ts';
import { type HostPlaces, whatItOpens } from './what-it-opens.ts';
import { isChoice, type Wish, wishFor, wishOfDenial } from './wish.ts';

/** What a proposal is based on. */
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
  const lacks = own.flatMap((record) => lacksOf(record, { skill, policy, operator, places }));
  const wished = joined(lacks.flatMap((lack) => ('excluded' in lack ? [] : [lack]))).toSorted(
    (a, b) => Number(a.broad) - Number(b.broad) || Number(a.from === 'output') - Number(b.from === 'output'),
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
    },
    items: wished.map(
      ({ item, calls, first, last, from, grant, scripts: lacking, warning, broad: isBroad }) => ({
        capability: item.kind,
        item: item.text,
        ...{ calls: calls.size, first, last, from, grant },
        scripts: [...lacking],
        ...{ warning, broad: isBroad },
      }),
    ),
    grant: capabilitiesOf(added.filter((each) => each.grant)),
    requests: scripts.map((script) => ({
      script,
      capabilities: capabilitiesOf(added.filter((each) => each.scripts.has(script))),
    })),
    excluded: excludedItems(lacks.flatMap((lack) => ('excluded' in lack ? [lack] : []))),
    unused: unusedItems(operator, own),
  };
}

/** An item that one call lacked and that is not proposed. */
interface Excluded {
  excluded: Pick<Denial, 'capability' | 'reason' | 'remedy'> & { item: string };
  calls: Set<string>;
  at: string;
}

interface Judging {
  skill: Skill;
  policy: Policy;
  operator: Capabilities;
  places: HostPlaces;
}

/** What one call lacked, without what today's grant and request cover. */
function lacksOf(record: CallRecord, judging: Judging): (Wished | Excluded)[] {
  const requester = requesterOf(judging.skill, record);
  const found: (Wished | Excluded)[] = [];
  const evidence = { calls: new Set([record.executionId]), first: record.startedAt, last: record.startedAt };
  const exclude = (excluded: Excluded['excluded']): void =>
    void found.push({ excluded, calls: evidence.calls, at: record.startedAt });
  const add = (wish: Wish, from: Wished['from']): void => {
    const lack = judged(wish, requester, judging);
    if (lack === undefined) return;
    if ('reason' in lack) exclude({ capability: wish.item.kind, item: wish.item.text, ...lack });
    else found.push({ ...wish, ...evidence, ...lack, from, ...whatItOpens(wish.item, judging.places) });
  };
  const wasRun = record.capabilities.granted !== null;
  for (const denial of record.capabilities.denied) {
    const wish = isChoice(denial) ? undefined : wishOfDenial(denial, wasRun);
    if (wish === 'unusable') exclude({ ...unusable, capability: denial.capability, item: denial.requested });
    else if (wish !== undefined) add(wish, 'refusal');
    else if (isCurrent(denial, judging)) exclude(unchangeable(denial, judging));
  }
  const reported = record.outcome === 'failed' ? lackInOutput(record) : undefined;
  const wish = reported && wishFor(reported.kind, reported.item);
  // Only its own messages name it, so it must not be a pattern or a set.
  if (wish !== undefined && !/^@|\*/.test(wish.item.text)) add(wish, 'output');
  return found;
}

const unusable = {
  reason: 'is not a single host, path or name, or contains hidden characters',
  remedy: 'find out why the skill requests it; no grant is proposed',
};

type Lack = Pick<Wished, 'grant' | 'scripts'>;

/** Where an item is missing now, or why it is not proposed; `undefined` if nothing is missing. */
function judged(
  wish: Wish,
  requester: Requester,
  { skill, policy, operator }: Judging,
): Lack | Pick<Denial, 'reason' | 'remedy'> | undefined {
  const verdict = judgeItem(policy, skill, operator, wish.item);
  if (verdict !== undefined && verdict.reason !== notGranted) return verdict;
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

/** What requested the capabilities of a call: a run of the sidecar, the operator, or nothing. */
type Requester = { name?: string; run: Run } | 'operator' | 'none';

/**
 * Records do not name the script, so the requested capabilities identify the run. For a record of
 * another version of the skill, the default run stands for an unknown one.
 */
function requesterOf(skill: Skill, { skill: recorded, capabilities: { requested } }: CallRecord): Requester {
  const runs = declaredRuns(skill);
  const [first] = runs;
  if (first === undefined) return 'operator';
  const text = canonicalJson(requested);
  const same = runs.find(({ run }) => canonicalJson(run.capabilities) === text);
  if (same !== undefined) return same;
  const isThisVersion = recorded !== null && 'digest' in recorded && recorded.digest === skill.digest;
  return isThisVersion ? 'none' : first;
}

/** Whether today's configuration still leads to a refusal that no grant changes. */
function isCurrent(denial: Denial, { skill, policy, operator }: Judging): boolean {
  const { capability } = denial;
  if (capability === 'run') return !policy.tiers[skill.tier].processSkills;
  return !isChoice(denial) || !items(operator).some(({ kind }) => kind === capability);
}

function unchangeable(denial: Denial, { skill, operator }: Judging): Excluded['excluded'] {
  const { capability, requested, reason, remedy } = denial;
  if (capability === 'run' || !isChoice(denial)) return { capability, item: requested, reason, remedy };
  return {
    ...{ capability, item: requested },
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
    const calls = new Set(same.flatMap((each) => [...each.calls])).size;
    return [{ ...newest.excluded, calls, first: same.at(-1)?.at ?? newest.at, last: newest.at }];
  });
}
