import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { CallRecord } from '@ambit/core/audit';
import type { AuditSource } from '../ports/actions.ts';
import { localError, withLocalErrors } from './local-error.ts';

/** The largest page of the HTTP API. */
const pageMax = 200;

/**
 * Queries a daemon's log. Rejects with the daemon's errors.
 */
export function daemonAudit(daemon: AmbitClientOptions): AuditSource {
  const { audit } = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);

  return {
    async query({ limit, ...query }) {
      const records: CallRecord[] = [];
      for (let next: number | undefined = query.before; ; ) {
        const pageQuery = { ...query, before: next, limit: Math.min(pageMax, limit - records.length) };
        const page = await translated(audit.page(pageQuery));
        records.push(...page.records);
        if (page.next === null || page.partial || records.length >= limit) return { ...page, records };
        next = page.next;
      }
    },
    count: (filter) => translated(audit.count(filter)),
    stats: (query) => translated(audit.stats(query)),
    async *export(filter) {
      try {
        yield* audit.export(filter);
      } catch (error) {
        throw localError(daemon.url, error);
      }
    },
    async *follow(signal) {
      try {
        for await (const { sequence, event } of audit.follow({ signal })) {
          yield { sequence, event };
        }
      } catch (error) {
        if (!signal.aborted) throw localError(daemon.url, error);
      }
    },
    async close() {
      // `fetch` manages the connections.
    },
  };
}
