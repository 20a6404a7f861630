import {
  type AuditPage,
  type AuditQuery,
  type CallRecord,
  type RecordFilter,
  recordFits,
} from '@ambit/core/audit';

/** A call in the index. `fits` is 0 if its values rule it out. `cost` is the cost of finding it. */
export interface Candidate {
  sequence: number;
  ended: number | null;
  fits?: number;
  cost?: number;
}

/** The filters, and the sequences to search, inclusive. */
export type Search = ReturnType<typeof parameters> & { low: number; high: number };

type Candidates = readonly Candidate[] | Promise<readonly Candidate[]>;

/** Finds calls in an index, newest first. */
export interface CallFinder {
  /** Whether its calls are of the nodes of a cluster. */
  hasNodes: boolean;
  /**
   * The first and last sequence that a call of a time range can have. If the clock went back, calls of
   * other times may be between them.
   */
  extent(filter: RecordFilter): Extent | Promise<Extent>;
  /** Reads every call in a short range. */
  walk(search: Search, limit: number): Candidates;
  /** Reads the calls of a chain. */
  inChain(search: Search, limit: number): Candidates;
  /** Merges the calls of each combination of values that fits. */
  merge(search: Search, limit: number): Candidates;
  /** The calls whose stored texts may contain a text; `undefined` if it is too short for the index. */
  withText(text: string, search: Search): Iterable<Candidate> | AsyncIterable<Candidate> | undefined;
  /** The call that this event began. */
  single(sequence: number): Candidate | undefined | Promise<Candidate | undefined>;
  count(search: Search): number | Promise<number>;
  /** A sequence with at least so many calls from it to `high`, or all. */
  before(high: number, calls: number): number | Promise<number>;
}

/** Reads the records that an index finds. */
export interface RecordSource {
  /** The sequence in the index of the event that began an execution's record. */
  openingOf(executionId: string): number | undefined | Promise<number | undefined>;
  /** Whether stored texts of a record may contain a text. */
  contains(call: Candidate, text: string): boolean;
  /** `undefined` if it was pruned. */
  record(call: Candidate): CallRecord | undefined | Promise<CallRecord | undefined>;
}

export interface Extent {
  low: number;
  high: number;
}

/** A page ends early at this cost. Most candidates cost 1; one whose record was read and does not match costs more. */
const costMax = 6000;
const readingCost = 8;
/** The cost of searching the texts of `textSequences` sequences. */
export const textsCost = 20;

const chunkMax = 100;
/** The newest calls are compared one by one first, because matches are often there. */
const walkedSequences = 4096;
const countedSequences = 2_000_000;
/** A value beyond every sequence and every time. */
export const newest = Number.MAX_SAFE_INTEGER;

/** Queries on records, each answered in bounded time. */
export function recordFinder(calls: CallFinder, source: RecordSource) {
  async function* newestFirstIn(search: Search, chunk: number): AsyncGenerator<Candidate> {
    for (let { high } = search; ; ) {
      const { low } = search;
      const walked = Math.max(low, await calls.before(high, walkedSequences));
      const part = (from: number) => ({ ...search, low: from, high });
      let found =
        search.parentId === null
          ? await calls.walk(part(walked), chunk)
          : await calls.inChain(part(low), chunk);
      if (found.length < chunk && walked > low && search.parentId === null)
        found = await calls.merge(part(low), chunk);
      yield* found;
      if (found.length < chunk) return;
      high = (found.at(-1)?.sequence ?? 0) - 1;
    }
  }

  /** Reads and compares each candidate: the index only narrows the search. */
  const page = async (
    candidates: Iterable<Candidate> | AsyncIterable<Candidate>,
    filter: RecordFilter,
    limit: number,
    most = costMax,
  ): Promise<AuditPage> => {
    const records: CallRecord[] = [];
    let cost = 0;
    let next = newest;
    let last: number | null = null;
    for await (const call of candidates) {
      const { fits = 1, cost: toFind = 1 } = call;
      if (cost >= most) return { records, next, partial: true };
      next = call.sequence;
      cost += toFind;
      if (fits === 0) continue;
      const isLikely = filter.text === undefined || source.contains(call, filter.text);
      const record = isLikely ? await source.record(call) : undefined;
      if (record === undefined || !recordFits(record, filter)) {
        cost += readingCost;
        continue;
      }
      if (records.length === limit) return { records, next: last };
      records.push(record);
      last = call.sequence;
      cost -= toFind;
    }
    return { records, next: null };
  };

  const searchIn = async (filter: RecordFilter, before: number): Promise<Search> => {
    const isEmpty = filter.node !== undefined && !calls.hasNodes;
    const { low, high } = isEmpty ? { low: 0, high: -1 } : await calls.extent(filter);
    return { ...parameters(filter), low, high: Math.min(high, before - 1) };
  };
  const query = async ({ limit, before = newest, ...filter }: AuditQuery): Promise<AuditPage> => {
    if (filter.executionId !== undefined) {
      const call = await calls.single((await source.openingOf(filter.executionId)) ?? before);
      return page(call !== undefined && call.sequence < before ? [call] : [], filter, limit);
    }
    const search = await searchIn(filter, before);
    const withText = filter.text === undefined ? undefined : calls.withText(filter.text, search);
    const byValues = await page(
      newestFirstIn(search, Math.min(limit + 1, chunkMax)),
      filter,
      limit,
      withText === undefined ? costMax : costMax / 15,
    );
    if (byValues.partial === undefined || withText === undefined) return byValues;
    const byText = await page(withText, filter, limit);
    // If both searches end early, the answer is the one that got further.
    return byText.partial === true && (byText.next ?? 0) > (byValues.next ?? 0) ? byValues : byText;
  };
  return {
    /** A page, newest first. A long search ends early with a partial page, and `next` continues. */
    query,
    /** The matching records so far: `next` is where to continue, `null` at the end. */
    async count(filter: RecordFilter, before: number): Promise<{ count: number; next: number | null }> {
      if (filter.text !== undefined || filter.executionId !== undefined || filter.parentId !== undefined) {
        const { records, next } = await query({ ...filter, limit: chunkMax, before });
        return { count: records.length, next };
      }
      const search = await searchIn(filter, before);
      const low = Math.max(search.low, await calls.before(search.high, countedSequences));
      return { count: await calls.count({ ...search, low }), next: low > search.low ? low : null };
    },
  };
}

function parameters(filter: RecordFilter) {
  const { skill = null, actor = null, outcome = null, tier = null, via = null, denied = null } = filter;
  const { parentId = null, node = null, since = -newest, until = newest } = filter;
  return { skill, actor, outcome, tier, via, denied, parentId, node, since, until };
}
