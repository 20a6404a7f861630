import type { AuditQuery } from './audit-log.ts';
import type { CallRecord } from './call-record.ts';

/** The filters of a query, without paging. */
export type RecordFilter = Omit<AuditQuery, 'limit' | 'before'>;

/** Whether a record matches a query. A log's indexes must agree with this function. */
export function recordFits(record: CallRecord, filter: RecordFilter): boolean {
  const { skill, actor, outcome, tier, via, denied, since, until, text, executionId, parentId } = filter;
  const startedAt = Date.parse(record.startedAt);
  return (
    is(skill, record.skill?.id) &&
    is(actor, record.actor) &&
    is(outcome, record.outcome) &&
    is(tier, record.skill !== null && 'tier' in record.skill ? record.skill.tier : null) &&
    is(via, record.via) &&
    is(executionId, record.executionId) &&
    is(parentId, record.parentId) &&
    (denied === undefined || record.capabilities.denied.some(({ capability }) => capability === denied)) &&
    (since === undefined || startedAt >= since) &&
    (until === undefined || startedAt < until) &&
    (text === undefined || keeps(record, text))
  );
}

function is<T>(asked: T | undefined, found: T | null | undefined): boolean {
  return asked === undefined || asked === found;
}

function keeps({ kept }: CallRecord, text: string): boolean {
  const sought = text.toLowerCase();
  return [kept.input, kept.output].some((payload) => payload?.text.toLowerCase().includes(sought) === true);
}
