import type { AuditPage, AuditStats, CallRecord } from '@ambit/core';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { parseRequest } from '../door/parse-request.ts';
import { Refusal } from '../problem/refusal.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import { Count, filterParameters, isInOrder, notInOrder, timeParameter } from './audit-parameters.ts';
import type { ReachFor } from './reach-for.ts';

const bucketsMost = 2000;
const Params = z.strictObject({ executionId: z.string().max(200) });
const NoQuery = z.strictObject({});

/** The records: `GET /audit`, newest first, a page at a time; `/audit/count`, `/audit/stats` and `/audit/:executionId`. */
export function auditRoute(app: FastifyInstance, { execute: { now } }: AppDeps, reachFor: ReachFor): void {
  const Filter = z.strictObject(filterParameters(now));
  const PageQuery = Filter.extend({
    limit: Count.refine((limit) => limit <= 200, 'a page has at most 200 records').default(50),
    /** The `next` of the page before. */
    before: Count.exactOptional(),
  }).refine(isInOrder, notInOrder);
  const StatsQueryString = statsQuery(now);

  app.get(
    '/audit',
    async (request): Promise<AuditPage> =>
      reachFor(request).audit.query(parseRequest(PageQuery, request.query)),
  );

  app.get('/audit/count', async (request): Promise<{ count: number }> => {
    const filter = parseRequest(Filter.refine(isInOrder, notInOrder), request.query);
    return { count: await reachFor(request).audit.count(filter) };
  });

  app.get('/audit/stats', async (request): Promise<AuditStats> => {
    const { audit } = reachFor(request);
    const stats = await audit.stats(parseRequest(StatsQueryString, request.query));
    if (stats !== undefined) return stats;
    throw boundToSkills(request, 'the figures of one of them: ask with "skill"');
  });

  app.get('/audit/:executionId', async (request): Promise<CallRecord> => {
    const { executionId } = parseRequest(Params, request.params);
    parseRequest(NoQuery, request.query);
    const record = await recordOf(reachFor(request), executionId);
    if (record === undefined) {
      throw new Refusal(
        'RECORD_NOT_FOUND',
        `the log has no execution ${JSON.stringify(executionId)}; GET /audit shows those it has`,
      );
    }
    return record;
  });
}

function statsQuery(now: () => number) {
  return z
    .strictObject({
      skill: z.string().min(1).max(200).exactOptional(),
      since: timeParameter(now).exactOptional(),
      until: timeParameter(now).exactOptional(),
      bucketMs: Count.exactOptional(),
    })
    .refine(isInOrder, notInOrder)
    .refine(({ bucketMs, since }) => bucketMs === undefined || since !== undefined, {
      path: ['since'],
      message: '"bucketMs" needs a "since" to begin with',
    })
    .refine(
      ({ bucketMs, since = 0, until = now() }) =>
        bucketMs === undefined || (until - since) / bucketMs <= bucketsMost,
      { path: ['bucketMs'], message: `this makes more than ${bucketsMost} buckets; make them wider` },
    );
}
