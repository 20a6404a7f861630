import type { CallRecord } from '../audit/call-record-schema.ts';
import type { Denial } from '../capability/denial.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import type { Run } from '../skill/run.ts';
import { declaredRuns, type Skill } from '../skill/skill.ts';
import { lackInOutput } from './stored-output.ts';

/** The source of a call's requests: a run of the sidecar, the operator, or nothing. */
export type Requester = { name?: string; run: Run } | 'operator' | 'none';

/** The calls that lacked the same. */
export interface Evidence {
  /** Execution ids. */
  calls: Set<string>;
  /** Times of the first and the last call, ISO 8601. */
  first: string;
  last: string;
}

/** A refusal, what the output of a failed run names, or a program that a script names, and the calls that had it. */
export interface ObservedLack extends Evidence {
  requester: Requester;
  /** `wasRun`: it was refused while the skill ran. */
  lack:
    | { denial: Denial; wasRun: boolean }
    | (NonNullable<ReturnType<typeof lackInOutput>> & { from: 'output' | 'script' });
}

/** A skill can cause as many different refusals as it likes, and each takes time to judge. */
const lacksMax = 100;

/**
 * The different refusals in records, which are newest first. `cut`: there are more than are
 * returned; the oldest are left out.
 */
export function observedLacks(
  skill: Skill,
  records: readonly CallRecord[],
): { lacks: readonly ObservedLack[]; cut: boolean } {
  const found = new Map<string, ObservedLack>();
  let cut = false;
  const requesterOf = requesters(skill);
  const observe = (record: CallRecord, lack: ObservedLack['lack']): void => {
    const requester = requesterOf(record);
    const by = typeof requester === 'string' ? requester : [requester.name ?? null];
    const key = JSON.stringify([by, lack]);
    const known = found.get(key);
    const { executionId, startedAt: at } = record;
    if (known !== undefined) {
      known.calls.add(executionId);
      known.first = at;
    } else if (found.size >= lacksMax) cut = true;
    else found.set(key, { lack, requester, calls: new Set([executionId]), first: at, last: at });
  };
  for (const record of records) {
    const wasRun = record.capabilities.granted !== null;
    for (const denial of record.capabilities.denied) observe(record, { denial, wasRun });
    const reported = record.outcome === 'failed' ? lackInOutput(record) : undefined;
    if (reported !== undefined) observe(record, { ...reported, from: 'output' });
    for (const item of record.missingPrograms ?? []) observe(record, { kind: 'exec', item, from: 'script' });
  }
  return { lacks: [...found.values()], cut };
}

/**
 * Records do not name the script, so the requested capabilities identify the run. For a record of
 * another version of the skill, the default run stands for an unknown one.
 */
function requesters(skill: Skill): (record: CallRecord) => Requester {
  const runs = declaredRuns(skill);
  const [first] = runs;
  if (first === undefined) return () => 'operator';
  // Of equal requests, the first one is meant.
  const byRequest = new Map(runs.map((run) => [canonicalJson(run.run.capabilities), run] as const).reverse());
  return ({ skill: recorded, capabilities: { requested } }) => {
    const same = byRequest.get(canonicalJson(requested));
    if (same !== undefined) return same;
    const isThisVersion = recorded !== null && 'digest' in recorded && recorded.digest === skill.digest;
    return isThisVersion ? 'none' : first;
  };
}

/** The calls of both. */
export function together(a: Evidence, b: Evidence): Evidence {
  return {
    calls: new Set([...a.calls, ...b.calls]),
    first: [a.first, b.first].sort()[0] ?? a.first,
    last: [a.last, b.last].sort()[1] ?? a.last,
  };
}
