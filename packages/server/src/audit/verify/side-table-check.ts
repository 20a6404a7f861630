import type { AuditEvent, Flaw } from '@ambit/core/audit';
import type { StoredLog } from './stored-log.ts';

/** Compares the events with the tables that control what is written or deleted next. */
export interface SideTableCheck {
  /** Notes an event of the chain. */
  see(kind: string, body: string): void;
  /** The flaw after all events; `last` is the last event of the log. */
  afterwards(last: number): Flaw | undefined;
}

/** `isPruned`: events that recorded a change may have been pruned. */
export function sideTableCheck(log: StoredLog, isPruned: boolean): SideTableCheck {
  const digests = new Map<string, string>();
  let [eventsThrough, payloadsThrough] = [0, 0];
  return {
    see(kind, body) {
      if (!telling.has(kind)) return;
      const event = JSON.parse(body) as AuditEvent;
      if (event.kind === 'policy.changed') digests.set('policy', event.to);
      if (event.kind === 'skill.changed') digests.set(`skill:${event.skill.id}`, event.skill.digest);
      if (event.kind !== 'log.pruned') return;
      payloadsThrough = Math.max(payloadsThrough, event.through);
      if (event.what === 'events') eventsThrough = Math.max(eventsThrough, event.through);
    },
    afterwards(last) {
      const [foreign] = log.foreignParts();
      if (foreign !== undefined)
        return flaw(
          `the database has a ${foreign} that Ambit did not create and that may change what is written`,
        );
      const listed = log.lastDigests();
      for (const [subject, digest] of digests)
        if (listed.get(subject) !== digest) return wrongDigest(subject);
      const made = [...listed.keys()].find((subject) => !digests.has(subject));
      if (made !== undefined && !isPruned) return wrongDigest(made);
      if (log.eventsPrunedThrough > eventsThrough) return unrecorded('events', log.eventsPrunedThrough);
      if (log.payloadsPrunedThrough > payloadsThrough)
        return unrecorded('payloads', log.payloadsPrunedThrough);
      const stray = log.strayPayload(last);
      return stray === undefined
        ? undefined
        : flaw(`a payload is stored for event ${stray}, which does not exist`);
    },
  };
}

const telling: ReadonlySet<string> = new Set(['policy.changed', 'skill.changed', 'log.pruned']);

function wrongDigest(subject: string): Flaw {
  return flaw(
    `the stored digest of ${subject} does not match the events, so a change of it might not be recorded`,
  );
}

function unrecorded(what: string, through: number): Flaw {
  return flaw(
    `the database allows deleting ${what} up to event ${through}, but no event records that pruning`,
  );
}

function flaw(message: string): Flaw {
  return { reason: 'side-tables', sequence: null, message };
}
