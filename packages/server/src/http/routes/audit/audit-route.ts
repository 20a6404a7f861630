import { AuditPage, AuditStats, CallRecord } from '@ambit/core/audit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../../../errors/refusal.ts';
import { DaemonEventPage, RecordCount } from '../../../wire/answer/audit.ts';
import { json } from '../../route/answer.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { count } from '../../route/whole-number.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import {
  ExecutionParams,
  filterParameters,
  isInOrder,
  kindsParameter,
  notInOrder,
  timeParameter,
  timeWords,
} from './audit-parameters.ts';

const bucketsMax = 2000;

/**
 * The records: `GET /audit`, newest first, in pages; `/audit/count`, `/audit/stats` and
 * `/audit/:executionId`. `/audit/events` has the events outside calls.
 */
export function auditRoute(
  app: FastifyInstance,
  { execute: { now }, log }: AppDeps,
  accessFor: AccessFor,
): void {
  const Filter = z.strictObject(filterParameters(now));
  const PageQuery = Filter.extend({
    limit: count(200, 'a page has at most 200 records').default(50).describe('Records per page.'),
    before: count().exactOptional().describe('The `next` of the previous page.'),
  }).refine(isInOrder, notInOrder);

  defineRoute(app, {
    method: 'GET',
    url: '/audit',
    scope: 'audit:read',
    id: 'listRecords',
    group: 'Audit log',
    summary: 'List records',
    description:
      'Matching records, newest first, in pages. A record must match every filter. A page with `partial` ended early because a longer search would have taken too long.',
    query: PageQuery,
    answers: { 200: json('One page of records.', AuditPage, { example: { records: [], next: null } }) },
    problems: [],
    handle: async ({ query }, request) => accessFor(request).audit.query(query),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/count',
    scope: 'audit:read',
    id: 'countRecords',
    group: 'Audit log',
    summary: 'Count records',
    description: 'The number of matching records. Takes the filters of `GET /audit`.',
    query: Filter.refine(isInOrder, notInOrder),
    answers: { 200: json('The number of matching records.', RecordCount, { example: { count: 12 } }) },
    problems: [],
    handle: async ({ query }, request) => ({ count: await accessFor(request).audit.count(query) }),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/stats',
    scope: 'audit:read',
    id: 'getStats',
    group: 'Audit log',
    summary: 'Get statistics',
    description:
      'Statistics of all calls, by skill and, with `bucketMs`, over time. A key that is bound to several skills must name one of them.',
    query: statsQuery(now),
    answers: { 200: json('The statistics.', AuditStats) },
    problems: [],
    async handle({ query }, request) {
      const stats = await accessFor(request).audit.stats(query);
      if (stats !== undefined) return stats;
      throw boundToSkills(request, 'the statistics of one of them: add "skill"');
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/events',
    scope: 'audit:read',
    id: 'listEvents',
    group: 'Audit log',
    summary: 'List events outside calls',
    description:
      'Starts and stops, changes of configuration and policy, decisions about skills, workspaces, prunings and key rotations, newest first, in pages. In a cluster, these are the events of the node that answers. Only for keys that are not bound to skills. A page with `partial` ended early because a longer search would have taken too long.',
    query: EventQuery,
    answers: { 200: json('One page of events.', DaemonEventPage) },
    problems: [],
    async handle({ query: { kind: kinds, ...page } }, request) {
      if (!accessFor(request).audit.isWhole) throw boundToSkills(request, 'records: GET /audit');
      return log.daemonEvents({ ...page, ...(kinds && { kinds }) });
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/:executionId',
    scope: 'audit:read',
    id: 'getRecord',
    group: 'Audit log',
    summary: 'Get a record',
    description: 'The record of one execution.',
    params: ExecutionParams,
    answers: { 200: json('The record.', CallRecord) },
    problems: ['RECORD_NOT_FOUND'],
    async handle({ params: { executionId } }, request) {
      const record = await recordOf(accessFor(request), executionId);
      if (record !== undefined) return record;
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `the log has no execution ${JSON.stringify(executionId)} that this key may read; GET /audit lists the ones it may`,
      );
    },
  });
}

const EventQuery = z.strictObject({
  kind: kindsParameter()
    .exactOptional()
    .describe('Events of these kinds, separated by commas: `skill.approved,skill.revoked`.'),
  limit: count(200, 'a page has at most 200 events').default(50).describe('Events per page.'),
  before: count().exactOptional().describe('The `next` of the previous page.'),
});

function statsQuery(now: () => number) {
  return z
    .strictObject({
      skill: z.string().min(1).max(200).exactOptional().describe('Only this skill.'),
      since: timeParameter(now).exactOptional().describe(`Calls since then. ${timeWords}`),
      until: timeParameter(now).exactOptional().describe(`Calls before that time. ${timeWords}`),
      bucketMs: count()
        .exactOptional()
        .describe(`The width of a time bucket, for at most ${bucketsMax} buckets; needs "since".`),
    })
    .refine(isInOrder, notInOrder)
    .refine(({ bucketMs, since }) => bucketMs === undefined || since !== undefined, {
      path: ['since'],
      message: '"bucketMs" needs "since"',
    })
    .refine(
      ({ bucketMs, since = 0, until = now() }) =>
        bucketMs === undefined || (until - since) / bucketMs <= bucketsMax,
      {
        path: ['bucketMs'],
        message: `this makes more than ${bucketsMax} buckets; raise "bucketMs" or shorten the time range`,
      },
    );
}
