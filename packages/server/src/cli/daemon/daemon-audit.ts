import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { AuditEvent, CallRecord } from '@ambit/core/audit';
import type { AuditPage, AuditStats } from '@ambit/core/internal';
import type { AuditSource } from '../actions/actions.ts';
import { heardFrom, localError } from './local-error.ts';

/** What the HTTP API gives at once. */
const pageMax = 200;

/**
 * Asks a daemon for its log. Refusals come back as the errors that they were there. What the document says of records,
 * figures and events is what core says of them, which the schemas of the answers hold.
 */
export function daemonAudit(daemon: AmbitClientOptions): AuditSource {
  const { audit } = ambitClient(daemon);
  const said = heardFrom(daemon.url);

  return {
    async query({ limit, ...query }) {
      const records: CallRecord[] = [];
      for (let next: number | undefined = query.before; ; ) {
        const asked = { ...query, before: next, limit: Math.min(pageMax, limit - records.length) };
        const page = (await said(audit.page(asked))) as AuditPage;
        records.push(...page.records);
        if (page.next === null || page.partial || records.length >= limit) return { ...page, records };
        next = page.next;
      }
    },
    count: (filter) => said(audit.count(filter)),
    stats: async (query) => (await said(audit.stats(query))) as AuditStats,
    async *export(filter) {
      try {
        yield* audit.export(filter) as AsyncGenerator<CallRecord>;
      } catch (error) {
        throw localError(daemon.url, error);
      }
    },
    async *follow(signal) {
      try {
        for await (const { sequence, event } of audit.follow({ signal })) {
          yield { sequence, event: event as unknown as AuditEvent };
        }
      } catch (error) {
        if (!signal.aborted) throw localError(daemon.url, error);
      }
    },
    async close() {
      // Every question has its own connection, which `fetch` keeps.
    },
  };
}
