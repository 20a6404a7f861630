import type { AuditQuery } from './audit-log.ts';
import type { CallRecord } from './call-record-schema.ts';

/** The filters of a query, without paging. */
export type RecordFilter = Omit<AuditQuery, 'limit' | 'before'>;

/** Whether a record matches a query. A log's indexes must agree with this function. */
export function recordFits(record: CallRecord, filter: RecordFilter): boolean {
  const { skill, actor, outcome, tier, via, denied, since, until, text } = filter;
  const startedAt = Date.parse(record.startedAt);
  return (
    matches(skill, record.skill?.id) &&
    matches(actor, record.actor) &&
    (outcome === 'unsuccessful' ? isUnsuccessful(record) : matches(outcome, record.outcome)) &&
    matches(tier, record.skill !== null && 'tier' in record.skill ? record.skill.tier : null) &&
    matches(via, record.via) &&
    matches(filter.executionId, record.executionId) &&
    matches(filter.parentId, record.parentId) &&
    matches(filter.node, record.node) &&
    (denied === undefined || record.capabilities.denied.some(({ capability }) => capability === denied)) &&
    (since === undefined || startedAt >= since) &&
    (until === undefined || startedAt < until) &&
    (text === undefined || contains(record, text))
  );
}

/** The cursor of a record: pass it as `before` for the records before it. */
export function cursorOf({ place, sequence }: CallRecord): number {
  return place ?? sequence;
}

function matches<T>(wanted: T | undefined, found: T | null | undefined): boolean {
  return wanted === undefined || wanted === found;
}

function isUnsuccessful({ outcome }: CallRecord): boolean {
  return outcome !== 'succeeded' && outcome !== 'denied' && outcome !== 'running';
}

function contains({ stored }: CallRecord, text: string): boolean {
  const lowerText = text.toLowerCase();
  return [stored.input, stored.output].some(
    (payload) => payload?.text.toLowerCase().includes(lowerText) === true,
  );
}
