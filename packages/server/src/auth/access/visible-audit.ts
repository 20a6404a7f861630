import {
  type AuditEvent,
  type AuditPage,
  type AuditQuery,
  type AuditReader,
  type AuditStats,
  type CallRecord,
  cursorOf,
  isCallEvent,
  type RecordFilter,
  type StatsQuery,
} from '@ambit/core/audit';
import type { KeyRights } from '../key-rights.ts';

/** The part of the log that a key may read. */
export interface VisibleAudit {
  query(query: AuditQuery): Promise<AuditPage>;
  count(filter: RecordFilter): Promise<number>;
  /**
   * `undefined` if the key is bound to skills and the query names none of them: percentiles cannot
   * be added.
   */
  stats(query: StatsQuery): Promise<AuditStats | undefined>;
  export(filter: RecordFilter): AsyncIterable<CallRecord>;
  /** A filter for events, which must arrive in order: whether the key may see each. */
  eventFilter(): (event: AuditEvent) => Promise<boolean>;
  /** Whether the key may see the whole log, and with it results about the whole. */
  isWhole: boolean;
}

/**
 * The part of the log that a key may see: everything, or, for a key bound to skills, the records of
 * those skills and of its own requests. It does not see events of the daemon.
 */
export function visibleAudit(
  audit: AuditReader,
  { skills, actor }: Pick<KeyRights, 'skills' | 'actor'>,
): VisibleAudit {
  if (skills === undefined) {
    const { query, count, stats, export: all } = audit;
    return { query, count, stats, export: all, eventFilter: () => async () => true, isWhole: true };
  }
  const isVisible = (record: Pick<CallRecord, 'actor' | 'skill'>): boolean =>
    record.actor === actor || (record.skill !== null && skills.has(record.skill.id));
  return {
    query: (query) => visiblePage(audit, isVisible, query),
    count: (filter) => visibleCount(audit, [...skills], actor, filter),
    async stats(query) {
      const [only, ...more] = skills;
      const skill = query.skill ?? (more.length === 0 ? only : undefined);
      return skill !== undefined && skills.has(skill) ? audit.stats({ ...query, skill }) : undefined;
    },
    async *export(filter) {
      for await (const record of audit.export(filter)) if (isVisible(record)) yield record;
    },
    eventFilter: () => eventFilter(audit, isVisible),
    isWhole: false,
  };
}

const recordsInOneGo = 200;
/**
 * Searching further for one page would delay other queries. The page is then partial, and `next`
 * continues.
 */
const pagesMax = 20;

async function visiblePage(
  audit: AuditReader,
  isVisible: (record: CallRecord) => boolean,
  { limit, ...query }: AuditQuery,
): Promise<AuditPage> {
  const records: CallRecord[] = [];
  let before = query.before;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await audit.query({ ...query, before, limit: recordsInOneGo });
    for (const record of page.records.filter(isVisible)) {
      const last = records.at(-1);
      if (records.length === limit) return { records, next: last === undefined ? null : cursorOf(last) };
      records.push(record);
    }
    if (page.next === null) return { records, next: null };
    before = page.next;
    if (page.partial === true) break;
  }
  return { records, next: before ?? null, partial: true };
}

/**
 * The records of each skill, and the key's own of all other skills: the log's index answers each of
 * these queries.
 */
async function visibleCount(
  audit: AuditReader,
  skills: readonly string[],
  actor: string,
  filter: RecordFilter,
): Promise<number> {
  if (filter.actor === actor || (filter.skill !== undefined && skills.includes(filter.skill)))
    return audit.count(filter);
  const own = filter.actor === undefined ? await audit.count({ ...filter, actor }) : 0;
  if (filter.skill !== undefined) return own;
  let count = own;
  for (const skill of skills) {
    count += await audit.count({ ...filter, skill });
    if (filter.actor === undefined) count -= await audit.count({ ...filter, skill, actor });
  }
  return count;
}

/**
 * Only the first event of a record has its actor and skill. For a record that began before the
 * filter, query the log.
 */
function eventFilter(
  audit: AuditReader,
  isVisible: (record: Pick<CallRecord, 'actor' | 'skill'>) => boolean,
): (event: AuditEvent) => Promise<boolean> {
  const open = new Map<string, boolean>();
  return async (event) => {
    if (!isCallEvent(event)) return false;
    switch (event.kind) {
      case 'call.started': {
        const visible = isVisible(event);
        open.set(event.executionId, visible);
        return visible;
      }
      case 'request.denied':
      case 'auth.rejected':
        return isVisible({ actor: event.actor, skill: null });
      default: {
        const known = open.get(event.executionId);
        open.delete(event.executionId);
        if (known !== undefined) return known;
        const { records } = await audit.query({ executionId: event.executionId, limit: 1 });
        return records.some(isVisible);
      }
    }
  };
}
