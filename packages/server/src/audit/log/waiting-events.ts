import { SkillError } from '@ambit/core';
import type { AuditPosition } from '@ambit/core/audit';
import type { EventRow } from './event-row.ts';

/** An event, and the promise for its position. */
export interface WaitingEvent extends PromiseWithResolvers<AuditPosition> {
  row: EventRow;
  characters: number;
}

/** Events that are not being written yet, in order of arrival. */
export interface WaitingEvents {
  readonly length: number;
  /** Throws `AUDIT_UNAVAILABLE` if too many events wait already. */
  add(row: EventRow): Promise<AuditPosition>;
  /** The next batch. */
  take(): WaitingEvent[];
}

/**
 * Limits of a transaction: commits stay short, a failure affects few events, and resolving them
 * blocks the event loop for about a millisecond. A larger event is a batch of its own.
 */
const batchMax = { events: 128, characters: 4 * 1024 * 1024 };
/** Limits of waiting events, which bound memory if the disk is slower than the callers. */
const waitingMax = { events: 100_000, characters: 64 * 1024 * 1024 };

export function waitingEvents(file: string): WaitingEvents {
  let events: WaitingEvent[] = [];
  let characters = 0;
  return {
    get length() {
      return events.length;
    },
    add(row) {
      const event = {
        row,
        characters: row.body.length + (row.payload?.text.length ?? 0),
        ...Promise.withResolvers<AuditPosition>(),
      };
      if (events.length > 0 && !isWithin(waitingMax, events.length + 1, characters + event.characters)) {
        throw tooSlow(file, events.length);
      }
      events.push(event);
      characters += event.characters;
      return event.promise;
    },
    take() {
      let [count, size] = [0, 0];
      for (const event of events) {
        if (count > 0 && !isWithin(batchMax, count + 1, size + event.characters)) break;
        count += 1;
        size += event.characters;
      }
      const batch = events.slice(0, count);
      events = events.slice(count);
      characters -= size;
      return batch;
    },
  };
}

function isWithin(limits: typeof batchMax, events: number, characters: number): boolean {
  return events <= limits.events && characters <= limits.characters;
}

function tooSlow(file: string, count: number): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} cannot keep up: ${count} events are waiting to be written; use a faster disk, or accept fewer calls`,
  );
}
