import {
  AuditPage,
  AuditStats,
  CallRecord,
  SignedEventReceipt,
  SignedReceipt,
  Verification,
} from '@ambit/core/audit';
import { z } from 'zod';
import { json, stream } from '../answer.ts';
import { defineContracts } from '../contract.ts';
import { LastEventId, NodePositionText } from '../last-event-id.ts';
import { count } from '../whole-number.ts';
import { AuditChain, DaemonEventPage, FollowedEvent, RecordCount } from './answers.ts';
import { ExecutionParams, filterParameters, KindsText, TimeText, timeWords } from './parameters.ts';

/** The most time buckets of statistics. */
export const bucketsMax = 2000;

/** The most clients that follow the log at the same time. */
export const followersMax = 16;

/** A client that reads nothing for so long is disconnected. */
export const stalledMs = 30_000;

const Filter = z.strictObject(filterParameters);

const PageQuery = Filter.extend({
  limit: count(200, 'a page has at most 200 records').default(50).describe('Records per page.'),
  before: count().exactOptional().describe('The `next` of the previous page.'),
});

const EventQuery = z.strictObject({
  kind: KindsText.exactOptional().describe(
    'Events of these kinds, separated by commas: `skill.approved,skill.revoked`.',
  ),
  limit: count(200, 'a page has at most 200 events').default(50).describe('Events per page.'),
  before: count().exactOptional().describe('The `next` of the previous page.'),
});

const StatsQuery = z.strictObject({
  skill: z.string().min(1).max(200).exactOptional().describe('Only this skill.'),
  since: TimeText.exactOptional().describe(`Calls since then. ${timeWords}`),
  until: TimeText.exactOptional().describe(`Calls before that time. ${timeWords}`),
  bucketMs: count()
    .exactOptional()
    .describe(`The width of a time bucket, for at most ${bucketsMax} buckets; needs "since".`),
});

const ExportQuery = z.strictObject({
  ...filterParameters,
  format: z.enum(['ndjson', 'csv']).default('ndjson').describe('Lines of JSON, or CSV.'),
});

const FollowHeaders = z.object({
  'last-event-id': z
    .union([LastEventId, NodePositionText])
    .describe('Resume after this event. Without it, the stream starts with the next event that is written.'),
});

const Message = z.strictObject({ event: z.string().describe("The event's kind."), data: FollowedEvent });

const reading = { method: 'GET', scope: 'audit:read', problems: [] } as const;

/** The log: its records, events and proofs. */
export const auditContracts = defineContracts('Audit log', {
  listRecords: {
    ...reading,
    url: '/audit',
    summary: 'List records',
    description:
      'Matching records, newest first, in pages. A record must match every filter. A page with `partial` ended early because a longer search would have taken too long.',
    query: PageQuery,
    answers: { 200: json('One page of records.', AuditPage, { example: { records: [], next: null } }) },
  },
  countRecords: {
    ...reading,
    url: '/audit/count',
    summary: 'Count records',
    description: 'The number of matching records. Takes the filters of `GET /audit`.',
    query: Filter,
    answers: { 200: json('The number of matching records.', RecordCount, { example: { count: 12 } }) },
  },
  getStats: {
    ...reading,
    url: '/audit/stats',
    summary: 'Get statistics',
    description:
      'Statistics of all calls, by skill and, with `bucketMs`, over time. A key that is bound to several skills must name one of them.',
    query: StatsQuery,
    answers: { 200: json('The statistics.', AuditStats) },
  },
  listEvents: {
    ...reading,
    url: '/audit/events',
    summary: 'List events outside calls',
    description:
      'Starts and stops, changes of configuration and policy, decisions about skills, workspaces, prunings and key rotations, newest first, in pages. In a cluster, these are the events of the node that answers. Only for keys that are not bound to skills. A page with `partial` ended early because a longer search would have taken too long.',
    query: EventQuery,
    answers: { 200: json('One page of events.', DaemonEventPage) },
  },
  getRecord: {
    ...reading,
    url: '/audit/:executionId',
    summary: 'Get a record',
    description: 'The record of one execution.',
    params: ExecutionParams,
    answers: { 200: json('The record.', CallRecord) },
    problems: ['RECORD_NOT_FOUND'],
  },
  exportRecords: {
    ...reading,
    url: '/audit/export',
    summary: 'Export matching records',
    description:
      "Every matching record, oldest first, as of the start of the response. Takes the filters of `GET /audit`. A response that is interrupted, for example because its key was revoked, has no proper end. In CSV, a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with `'`.",
    query: ExportQuery,
    answers: {
      200: stream(
        'The records, in the given format.',
        {
          'application/x-ndjson': { description: 'One record per line.', each: CallRecord },
          'text/csv': { description: 'One record per line, after a header.' },
        },
        { headers: { 'content-disposition': 'A file name.' } },
      ),
    },
  },
  followEvents: {
    ...reading,
    url: '/audit/follow',
    summary: 'Follow events',
    description: `Server-sent events as they are written: \`id\` is the sequence, \`event\` the kind. In a cluster, the events of all nodes, and \`id\` has a sequence for each node. At most ${followersMax} clients follow at the same time. A client that reads nothing for ${stalledMs / 1000} s is disconnected.`,
    headers: FollowHeaders,
    answers: {
      200: stream('The events, until either side disconnects.', {
        'text/event-stream': { description: 'One event of the log each.', each: Message },
      }),
    },
    problems: ['OVERLOADED'],
  },
  getAuditChain: {
    ...reading,
    url: '/audit/chain',
    summary: 'Get the state of the chain',
    description:
      'The ends of the chain, its last checkpoint, its signing keys and the last verification. Verifies nothing itself. In a cluster, this is the log of the node that answers. Only for keys that are not bound to skills.',
    answers: { 200: json('The state of the chain.', AuditChain) },
  },
  verifyAudit: {
    ...reading,
    url: '/audit/verify',
    summary: 'Verify the log',
    description:
      'Reads the whole log and checks its chain, checkpoints and signatures. Only for keys that are not bound to skills. One verification runs at a time.',
    answers: { 200: json('The result, also if the log has a flaw.', Verification) },
    problems: ['OVERLOADED'],
  },
  getEventReceipt: {
    ...reading,
    url: '/audit/events/:sequence/receipt',
    summary: 'Get a signed receipt of an event',
    description:
      'A signed statement about one event outside calls, such as the approval of a skill, for readers without access to the log. Only for keys that are not bound to skills.',
    params: z.strictObject({ sequence: count().describe('Of the event in the log.') }),
    answers: { 200: json('The receipt.', SignedEventReceipt) },
    problems: ['RECORD_NOT_FOUND'],
  },
  getReceipt: {
    ...reading,
    url: '/audit/:executionId/receipt',
    summary: 'Get a signed receipt',
    description: 'A signed statement about one call, for readers without access to the log.',
    params: ExecutionParams,
    answers: { 200: json('The receipt.', SignedReceipt) },
    problems: ['RECORD_NOT_FOUND', 'NODE_UNREACHABLE'],
  },
  getTreeHead: {
    ...reading,
    url: '/audit/tree/checkpoint',
    summary: 'Get the head of the tree',
    description:
      'Only in a cluster: the last head of the Merkle tree over the checkpoints of all nodes, as a signed note (C2SP tlog-checkpoint). Only for keys that are not bound to skills.',
    answers: { 200: stream('The signed note.', { 'text/plain': { description: 'A C2SP checkpoint.' } }) },
    problems: ['RECORD_NOT_FOUND'],
  },
  getTreeTile: {
    ...reading,
    url: '/audit/tree/tile/*',
    summary: 'Get a tile of the tree',
    description:
      'Only in a cluster: a tile of the Merkle tree, or a bundle of its entries, by its path in C2SP tlog-tiles, such as `0/000` or `entries/000.p/5`. Only for keys that are not bound to skills.',
    params: z.strictObject({ path: z.string().max(100).describe('Below `tile/`.') }),
    answers: {
      200: stream('The tile.', {
        'application/octet-stream': { description: 'Hashes of 32 bytes, or entries after their lengths.' },
      }),
    },
    problems: ['RECORD_NOT_FOUND'],
  },
});
