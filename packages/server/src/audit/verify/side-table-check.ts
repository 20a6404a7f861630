import type { AuditEvent } from '@ambit/core/audit';
import type { Flaw } from '@ambit/core/internal';
import type { StoredLog } from './stored-log.ts';

/** Compares with the events what is kept beside them and steers what is written, or deleted, next. */
export interface SideTableCheck {
  /** Takes note of an event that is part of the chain. */
  see(kind: string, body: string): void;
  /** What is wrong once all events have been seen; `last` is the last one of the log. */
  afterwards(last: number): Flaw | undefined;
}

/** `isPruned`: events that told of a change may be gone. */
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
      const [strange] = log.strangeParts();
      if (strange !== undefined)
        return flaw(`the database has a ${strange} that Ambit did not make: it may change what is written`);
      const listed = log.lastDigests();
      for (const [subject, digest] of digests)
        if (listed.get(subject) !== digest) return unlikeDigest(subject);
      const made = [...listed.keys()].find((subject) => !digests.has(subject));
      if (made !== undefined && !isPruned) return unlikeDigest(made);
      if (log.eventsPrunedThrough > eventsThrough) return untold('events', log.eventsPrunedThrough);
      if (log.payloadsPrunedThrough > payloadsThrough) return untold('payloads', log.payloadsPrunedThrough);
      const stray = log.strayPayload(last);
      return stray === undefined
        ? undefined
        : flaw(`a payload is kept for event ${stray}, which there is not`);
    },
  };
}

const telling: ReadonlySet<string> = new Set(['policy.changed', 'skill.changed', 'log.pruned']);

function unlikeDigest(subject: string): Flaw {
  return flaw(
    `what is listed as the last digest of ${subject} is not what the events say: a change of it might not be recorded`,
  );
}

function untold(what: string, through: number): Flaw {
  return flaw(
    `the database was told that ${what} up to ${through} may be deleted, and no event says that they were pruned`,
  );
}

function flaw(message: string): Flaw {
  return { reason: 'side-tables', sequence: null, message };
}
