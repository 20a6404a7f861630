import { auditContracts, bucketsMax } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../errors/refusal.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import type { RequestIssue } from '../../route/parse-request.ts';
import type { AccessFor } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';
import { boundToSkills, recordOf } from './audit-bounds.ts';
import { type timesOf, withTimes } from './times-of.ts';

/**
 * The records: `GET /audit`, newest first, in pages; `/audit/count`, `/audit/stats` and
 * `/audit/:executionId`. `/audit/events` has the events outside calls.
 */
export function auditRoute(
  app: FastifyInstance,
  { execute: { now }, log }: AppDeps,
  accessFor: AccessFor,
): void {
  route(app, auditContracts.listRecords, async ({ query }, request) =>
    accessFor(request).audit.query(withTimes(query, now)),
  );

  route(app, auditContracts.countRecords, async ({ query }, request) => ({
    count: await accessFor(request).audit.count(withTimes(query, now)),
  }));

  route(app, auditContracts.getStats, async ({ query }, request) => {
    const asked = withTimes(query, now, (times) => bucketIssues(query.bucketMs, times, now));
    const stats = await accessFor(request).audit.stats(asked);
    if (stats !== undefined) return stats;
    throw boundToSkills(request, 'the statistics of one of them: add "skill"');
  });

  route(app, auditContracts.listEvents, async ({ query: { kind: kinds, ...page } }, request) => {
    if (!accessFor(request).audit.isWhole) throw boundToSkills(request, 'records: GET /audit');
    return log.daemonEvents({ ...page, kinds });
  });

  route(app, auditContracts.getRecord, async ({ params: { executionId } }, request) => {
    const record = await recordOf(accessFor(request), executionId);
    if (record !== undefined) return record;
    throw new Refusal(
      'RECORD_NOT_FOUND',
      `the log has no execution ${JSON.stringify(executionId)} that this key may read; GET /audit lists the ones it may`,
    );
  });
}

/** The mistakes in a request for statistics over time. */
function bucketIssues(
  bucketMs: number | undefined,
  { since, until }: ReturnType<typeof timesOf>,
  now: () => number,
): RequestIssue[] {
  if (bucketMs === undefined) return [];
  const issues: RequestIssue[] = [];
  const at = '/since';
  if (since === undefined) issues.push({ at, message: 'since: "bucketMs" needs "since"' });
  if (((until ?? now()) - (since ?? 0)) / bucketMs > bucketsMax)
    issues.push({
      at,
      message: `since: this makes more than ${bucketsMax} buckets; raise "bucketMs" or shorten the time range`,
    });
  return issues;
}
