import type { FollowedEvent } from '@ambit/api';
import type { Caller } from '../request/caller.ts';
import { endOf, type RequestOptions } from '../request/end-of.ts';
import type { FetchResponse } from '../request/fetch.ts';
import { parseBody } from '../request/parse-body.ts';
import type { RequestQuery, ResponseBody } from '../request/routes.ts';
import { failureOf } from '../request/transport.ts';
import { lines } from '../stream/lines.ts';
import { resumableEvents } from '../stream/resumable-events.ts';

/** An event of the log. */
export type AuditEntry = FollowedEvent;

/** A call in the log. */
export type CallRecord = ResponseBody<'GET /audit/:executionId'>;

/** Records, newest first. Pass `next` as `before`; it is `null` on the last page. */
export type AuditPage = ResponseBody<'GET /audit'>;

/** Statistics of calls: in total, by skill, and over time if requested. */
export type AuditStats = ResponseBody<'GET /audit/stats'>;

/** Events outside calls, newest first. Pass `next` as `before`; it is `null` on the last page. */
export type EventPage = ResponseBody<'GET /audit/events'>;

/** The state of the chain of a daemon's log. */
export type AuditChain = ResponseBody<'GET /audit/chain'>;

/** Whether the log is intact; otherwise the first flaw. */
export type Verification = ResponseBody<'GET /audit/verify'>;

/** The log's record of a call, signed with the audit signing key. */
export type SignedReceipt = ResponseBody<'GET /audit/:executionId/receipt'>;

/** An event outside calls, signed with the audit signing key. */
export type SignedEventReceipt = ResponseBody<'GET /audit/events/:sequence/receipt'>;

/** Filters for records. Absent filters match all. */
export type AuditFilter = RequestQuery<'GET /audit/count'>;

/** A filter for records, a `limit`, and the end of the previous page. */
export type AuditQuery = RequestQuery<'GET /audit'>;

/** Kinds of events, a `limit`, and the end of the previous page. */
export type EventQuery = RequestQuery<'GET /audit/events'>;

/** Filters for calls, and the width of a time bucket. Without a width there are no buckets. */
export type StatsQuery = RequestQuery<'GET /audit/stats'>;

/** Options for following the log. */
export interface FollowOptions extends RequestOptions {
  /** Start after this event: its sequence, or its `id`, which a cluster needs. Absent: start with the next event. */
  after?: number | string | undefined;
}

/** An event of the log while it is followed. */
export interface FollowedEntry extends AuditEntry {
  /** Resumes after this event, in a cluster at any node. */
  id: string;
}

/** The audit log. Needs a key with `audit:read`. */
export interface AuditApi {
  /** Every matching record, newest first. Fetches pages as needed. */
  records(filter?: AuditFilter, options?: RequestOptions): AsyncGenerator<CallRecord>;
  /** One page of at most 200 records. */
  page(query?: AuditQuery, options?: RequestOptions): Promise<AuditPage>;
  record(executionId: string, options?: RequestOptions): Promise<CallRecord>;
  count(filter?: AuditFilter, options?: RequestOptions): Promise<number>;
  stats(query?: StatsQuery, options?: RequestOptions): Promise<AuditStats>;
  /**
   * Every matching record of the present log, oldest first. Throws if the stream is interrupted.
   */
  export(filter?: AuditFilter, options?: RequestOptions): AsyncGenerator<CallRecord>;
  /** Events as they are written. Resumes interrupted streams. Throws the signal's reason when it aborts. */
  follow(options?: FollowOptions): AsyncGenerator<FollowedEntry>;
  /** A page of at most 200 events outside calls, newest first. */
  events(query?: EventQuery, options?: RequestOptions): Promise<EventPage>;
  /** The ends of the chain, its last checkpoint, its signing keys and the last verification. */
  chain(options?: RequestOptions): Promise<AuditChain>;
  /** Verifies the whole log. This can take long, so only a timeout in `options` applies. */
  verify(options?: RequestOptions): Promise<Verification>;
  receipt(executionId: string, options?: RequestOptions): Promise<SignedReceipt>;
  /** Returns the receipt of an event outside calls, such as an approval. */
  eventReceipt(sequence: number, options?: RequestOptions): Promise<SignedEventReceipt>;
}

/** The audit API. `caller` sends its requests. */
export function auditApi(caller: Caller): AuditApi {
  const { get } = caller;
  return {
    records: (filter, options) => records(caller, filter, options),
    page: (query, options) => get('GET /audit', 'records', { query }, options),
    record: (executionId, options) =>
      get('GET /audit/:executionId', 'executionId', { params: { executionId } }, options),
    count: async (query, options) => (await get('GET /audit/count', 'count', { query }, options)).count,
    stats: (query, options) => get('GET /audit/stats', 'bySkill', { query }, options),
    export: (filter, options) => exported(caller, filter, options),
    follow: (options) => followed(caller, options),
    events: (query, options) => get('GET /audit/events', 'events', { query }, options),
    chain: (options) => get('GET /audit/chain', 'logId', {}, options),
    verify: (options) => get('GET /audit/verify', 'intact', {}, { timeoutMs: undefined, ...options }),
    receipt: (executionId, options) =>
      get('GET /audit/:executionId/receipt', 'statement', { params: { executionId } }, options),
    eventReceipt: (sequence, options) =>
      get(
        'GET /audit/events/:sequence/receipt',
        'statement',
        { params: { sequence: String(sequence) } },
        options,
      ),
  };
}

/** The maximum page size of the daemon. */
const pageMax = 200;

async function* records(
  { get }: Caller,
  filter: AuditFilter | undefined,
  options: RequestOptions | undefined,
): AsyncGenerator<CallRecord> {
  let query: AuditQuery | undefined = { ...filter, limit: pageMax };
  while (query !== undefined) {
    const page: AuditPage = await get('GET /audit', 'records', { query }, options);
    yield* page.records;
    query = typeof page.next === 'number' ? { ...query, before: page.next } : undefined;
  }
}

async function* exported(
  { transport, within }: Caller,
  filter: AuditFilter | undefined,
  options: RequestOptions = {},
): AsyncGenerator<CallRecord> {
  const signal = endOf(within(options));
  const response = await transport.open(
    'GET /audit/export',
    { query: filter },
    { signal, isRepeatable: true },
  );
  const bound = { url: response.url, bytesMax: transport.answerBytesMax };
  try {
    for await (const line of lines(bodyOf(response), bound)) yield parseBody<CallRecord>(line, response.url);
  } catch (error) {
    throw failureOf(error, signal, response.url);
  }
}

async function* followed(
  { transport, within, silenceMs }: Caller,
  { after: first, ...options }: FollowOptions = {},
): AsyncGenerator<FollowedEntry> {
  const signal = endOf(within(options));
  const stream = {
    isRepeatable: true,
    isLast: () => false,
    open(after: string | undefined, ended: AbortSignal) {
      const from = after ?? first?.toString();
      const headers = from === undefined ? {} : { 'last-event-id': from };
      return transport.open('GET /audit/follow', { headers }, { signal: ended, isRepeatable: false });
    },
  };
  for await (const { id = '', data } of resumableEvents(stream, { ...transport, silenceMs, signal }))
    yield { ...parseBody<AuditEntry>(data, transport.url), id };
}

function bodyOf({ body }: FetchResponse): ReadableStream<Uint8Array> {
  return body ?? new Blob([]).stream();
}
