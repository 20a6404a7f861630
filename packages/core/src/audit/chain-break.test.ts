import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { placedText } from './chain.ts';
import { type ChainedEvent, describeBreak, isNextEvent } from './chain-break.ts';

const link = (previous: string, text: string): string =>
  createHash('sha256').update(Buffer.from(previous, 'hex')).update(text).digest('hex');

const genesis = { sequence: 0, hash: '00'.repeat(32) };

/** A chain of events 1 to 9, each with its number as its content. */
function chain(): ChainedEvent[] {
  const events: ChainedEvent[] = [];
  for (let sequence = 1; sequence <= 9; sequence += 1)
    events.push(next(events.at(-1) ?? genesis, `{"n":${sequence}}`));
  return events;
}

function next(head: { sequence: number; hash: string }, body: string): ChainedEvent {
  const sequence = head.sequence + 1;
  return { sequence, body, hash: link(head.hash, placedText(sequence, body)) };
}

/** Returns the place where a chain breaks, with the message; `undefined` if it is intact. */
function judge(events: readonly ChainedEvent[]) {
  let head: { sequence: number; hash: string } = genesis;
  for (const [index, event] of events.entries()) {
    if (!isNextEvent(link, head, event)) return describeBreak(link, head, events.slice(index));
    head = event;
  }
  return undefined;
}

const renumbered = (events: readonly ChainedEvent[]): ChainedEvent[] =>
  events.map((event, index) => ({ ...event, sequence: index + 1 }));

/** The same events, with changes at some sequences. */
const changed = (places: Record<number, Partial<ChainedEvent>>): ChainedEvent[] =>
  chain().map((event) => ({ ...event, ...places[event.sequence] }));

const event = (sequence: number): ChainedEvent => chain()[sequence - 1] as ChainedEvent;
const [e1, e2, e3, e4, e5] = [event(1), event(2), event(3), event(4), event(5)];
const [e6, e7, e8, e9] = [event(6), event(7), event(8), event(9)];
const foreign: ChainedEvent = { sequence: 4, body: '{"n":"x"}', hash: 'ab'.repeat(32) };

test('an untouched chain continues from event to event', () => {
  expect(judge(chain())).toBeUndefined();
});

test.each<[string, ChainedEvent[], string, number, string]>([
  [
    'an edited text',
    changed({ 4: { body: '{}' } }),
    'edited',
    4,
    'event 4 was altered, or event 3 and its hash were rewritten',
  ],
  ['an edited hash', changed({ 4: { hash: foreign.hash } }), 'edited', 4, 'event 4 was altered'],
  ['an edited first', changed({ 1: { body: '{}' } }), 'edited', 1, 'event 1 was altered'],
  [
    'an edited last',
    changed({ 9: { body: '{}' } }),
    'edited',
    9,
    'event 9 was altered, or event 8 and its hash were rewritten',
  ],
  [
    'an edited text with its hash',
    changed({ 4: next(e3, '{}') }),
    'edited',
    5,
    'event 5 was altered, or event 4 and its hash were rewritten',
  ],
  ['one removed', [e1, e2, e3, e5, e6], 'removed', 4, 'event 4 is missing, and no pruning is recorded'],
  ['three removed', [e1, e2, e6, e7], 'removed', 3, 'events 3 to 5 are missing, and no pruning is recorded'],
  ['the first removed', [e2, e3], 'removed', 1, 'event 1 is missing, and no pruning is recorded'],
  [
    'two removed and the rest renumbered',
    renumbered([e1, e2, e3, e6, e7, e8]),
    'removed',
    4,
    'events 4 to 5 are missing (later events were renumbered), and no pruning is recorded',
  ],
  ['one inserted', renumbered([e1, e2, e3, foreign, e4, e5, e6]), 'inserted', 4, 'event 4 was inserted'],
  [
    'one inserted before the last',
    renumbered([e1, e2, e3, foreign, e4]),
    'inserted',
    4,
    'event 4 was inserted',
  ],
  [
    'one inserted with a matching hash',
    renumbered([e1, e2, e3, next(e3, '{}'), e4, e5]),
    'inserted',
    4,
    'event 4 was inserted',
  ],
  [
    'two inserted',
    renumbered([e1, foreign, foreign, e2, e3, e4]),
    'inserted',
    2,
    'events 2 to 3 were inserted',
  ],
  [
    'neighbours swapped with their hashes',
    renumbered([e1, e2, e4, e3, e5, e6]),
    'reordered',
    3,
    'event 3 was moved to 4',
  ],
  ['the last two swapped', renumbered([e1, e2, e4, e3]), 'reordered', 3, 'event 3 was moved to 4'],
  [
    'texts swapped without their hashes',
    changed({ 3: { body: e7.body }, 7: { body: e3.body } }),
    'reordered',
    3,
    'event 3 was moved to 7',
  ],
  [
    'events far apart swapped',
    renumbered([e1, e2, e8, e4, e5, e6, e7, e3, e9]),
    'reordered',
    3,
    'event 3 was moved to 8',
  ],
])(
  'names what was done to a chain, and the first affected event: %s',
  (_what, events, reason, sequence, message) => {
    expect(judge(events)).toEqual({ reason, sequence, message });
  },
);
