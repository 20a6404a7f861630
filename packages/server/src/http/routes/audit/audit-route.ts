import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AnsweredCount, AnsweredPage, AnsweredRecord, AnsweredStats } from '../../../wire/answer/audit.ts';
import type { AppDeps } from '../../app-deps.ts';
import { Refusal } from '../../problem/refusal.ts';
import { json } from '../../route/answer.ts';
import { defineRoute } from '../../route/define-route.ts';
import type { AccessFor } from '../access-for.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import {
  count,
  ExecutionParams,
  filterParameters,
  isInOrder,
  notInOrder,
  timeParameter,
  timeWords,
} from './audit-parameters.ts';

const bucketsMax = 2000;

/** The records: `GET /audit`, newest first, a page at a time; `/audit/count`, `/audit/stats` and `/audit/:executionId`. */
export function auditRoute(app: FastifyInstance, { execute: { now } }: AppDeps, reachFor: AccessFor): void {
  const Filter = z.strictObject(filterParameters(now));
  const PageQuery = Filter.extend({
    limit: count(200, 'a page has at most 200 records')
      .default(50)
      .describe('At most 200; 50 unless it is given.'),
    before: count().exactOptional().describe('The `next` of the page before.'),
  }).refine(isInOrder, notInOrder);

  defineRoute(app, {
    method: 'GET',
    url: '/audit',
    scope: 'audit:read',
    id: 'listRecords',
    group: 'Audit log',
    summary: 'Records, newest first',
    description:
      'The records that fit, a page at a time. What is given has to hold together. A page with `partial` ended early because looking further would have taken long.',
    query: PageQuery,
    answers: { 200: json('A page.', AnsweredPage, { example: { records: [], next: null } }) },
    problems: [],
    handle: async ({ query }, request) => reachFor(request).audit.query(query),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/count',
    scope: 'audit:read',
    id: 'countRecords',
    group: 'Audit log',
    summary: 'How many records fit',
    description: 'Takes the same filters as `GET /audit`.',
    query: Filter.refine(isInOrder, notInOrder),
    answers: { 200: json('Their number.', AnsweredCount, { example: { count: 12 } }) },
    problems: [],
    handle: async ({ query }, request) => ({ count: await reachFor(request).audit.count(query) }),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/stats',
    scope: 'audit:read',
    id: 'getStats',
    group: 'Audit log',
    summary: 'How calls went',
    description:
      'Figures of all calls, by skill and, with `bucketMs`, over time. A key that is bound to several skills asks for one of them.',
    query: statsQuery(now),
    answers: { 200: json('The figures.', AnsweredStats) },
    problems: [],
    async handle({ query }, request) {
      const stats = await reachFor(request).audit.stats(query);
      if (stats !== undefined) return stats;
      throw boundToSkills(request, 'the figures of one of them: ask with "skill"');
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/audit/:executionId',
    scope: 'audit:read',
    id: 'getRecord',
    group: 'Audit log',
    summary: 'One record',
    description: 'The record of one execution.',
    params: ExecutionParams,
    answers: { 200: json('The record.', AnsweredRecord) },
    problems: ['RECORD_NOT_FOUND'],
    async handle({ params: { executionId } }, request) {
      const record = await recordOf(reachFor(request), executionId);
      if (record !== undefined) return record;
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `the log has no execution ${JSON.stringify(executionId)}; GET /audit shows those it has`,
      );
    },
  });
}

function statsQuery(now: () => number) {
  return z
    .strictObject({
      skill: z.string().min(1).max(200).exactOptional().describe('Of this one alone.'),
      since: timeParameter(now).exactOptional().describe(`Calls from then on. ${timeWords}`),
      until: timeParameter(now).exactOptional().describe(`Calls before that. ${timeWords}`),
      bucketMs: count()
        .exactOptional()
        .describe(`The width of a bucket over time, at most ${bucketsMax} of them; needs a "since".`),
    })
    .refine(isInOrder, notInOrder)
    .refine(({ bucketMs, since }) => bucketMs === undefined || since !== undefined, {
      path: ['since'],
      message: '"bucketMs" needs a "since" to begin with',
    })
    .refine(
      ({ bucketMs, since = 0, until = now() }) =>
        bucketMs === undefined || (until - since) / bucketMs <= bucketsMax,
      { path: ['bucketMs'], message: `this makes more than ${bucketsMax} buckets; make them wider` },
    );
}
