import { SkillError } from '@ambit/core';
import type { AuditPosition } from '@ambit/core/internal';
import type { EventRow } from './event-row.ts';

/** An event, and who waits for it to be durable. */
export interface WaitingEvent extends PromiseWithResolvers<AuditPosition> {
  row: EventRow;
  characters: number;
}

/** Events that are not under way yet, in the order in which they came. */
export interface WaitingEvents {
  readonly length: number;
  /** Throws `AUDIT_UNAVAILABLE` when too much waits already. */
  add(row: EventRow): Promise<AuditPosition>;
  /** The next batch. */
  take(): WaitingEvent[];
}

/**
 * Of a transaction: one commit stays short, what fails together is little, and those who are told of it together take the
 * event loop for little more than a millisecond. A larger event goes by itself.
 */
const batchMax = { events: 128, characters: 4 * 1024 * 1024 };
/** Of what waits for a disk that is slower than the callers are: beyond it memory would be what ends. */
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

function isWithin(most: typeof batchMax, events: number, characters: number): boolean {
  return events <= most.events && characters <= most.characters;
}

function tooSlow(file: string, count: number): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} is written more slowly than calls come, and ${count} events wait for it already: put it on a faster disk, or let fewer calls in`,
  );
}
