import { placedText } from './chain.ts';
import type { Flaw } from './verification.ts';

/**
 * SHA-256 over 32 bytes (in hex) followed by a text; in hex. The same as `eventHash`, but fast
 * enough for millions of events.
 */
export type LinkHash = (previous: string, text: string) => string;

/** The end of a chain; hashes in hex. The genesis has sequence 0. */
export interface ChainHead {
  sequence: number;
  hash: string;
}

/** An event as stored: its canonical text and its hash. */
export interface ChainedEvent extends ChainHead {
  body: string;
}

/**
 * The number of events that are compared to find out what happened. An event that was moved farther counts as
 * edited.
 */
export const breakWindow = 4096;

/** Whether an event is the next one in the chain. */
export function isNextEvent(
  link: LinkHash,
  head: ChainHead,
  { sequence, body, hash }: ChainedEvent,
): boolean {
  return sequence === head.sequence + 1 && link(head.hash, placedText(sequence, body)) === hash;
}

/**
 * Describes what was done to a chain, given the last valid event and those from the first invalid
 * one on: up to `breakWindow`. The cause is a guess; that the chain is broken is certain.
 */
export function describeBreak(link: LinkHash, head: ChainHead, events: readonly ChainedEvent[]): Flaw {
  const [bad, next] = events;
  if (bad === undefined) throw new Error('a chain breaks at an event');
  const place = head.sequence + 1;
  if (bad.sequence !== place) return removed(place, bad.sequence - 1);
  const found = (next && renumbered(link, bad, next)) ?? moved(link, head, events);
  if (found !== undefined) return found;
  // The next event follows from the correct hash, so the text is right and only the hash is wrong.
  const hash = link(head.hash, placedText(place, bad.body));
  const isSure = place === 1 || (next !== undefined && isNextEvent(link, { sequence: place, hash }, next));
  const or = isSure ? '' : `, or event ${head.sequence} and its hash were rewritten`;
  return { reason: 'edited', sequence: place, message: `event ${place} was altered${or}` };
}

function removed(from: number, to: number, then = ''): Flaw {
  const what = from === to ? `event ${from} is missing` : `events ${from} to ${to} are missing`;
  return { reason: 'removed', sequence: from, message: `${what}${then}, and no pruning is recorded` };
}

/**
 * If the next event follows from this one under another number, events before it are missing or
 * were inserted.
 */
function renumbered(link: LinkHash, bad: ChainedEvent, next: ChainedEvent): Flaw | undefined {
  const fits = (shift: number): boolean =>
    link(bad.hash, placedText(next.sequence + shift, next.body)) === next.hash;
  // The usual case, in which nothing was renumbered.
  if (fits(0)) return undefined;
  for (let shift = 1; shift < breakWindow; shift += 1) {
    if (fits(shift))
      return removed(bad.sequence, bad.sequence + shift - 1, ' (later events were renumbered)');
    if (shift < bad.sequence && fits(-shift)) return inserted(bad.sequence - shift, shift);
  }
  return undefined;
}

function inserted(sequence: number, count: number): Flaw {
  const what = count === 1 ? `event ${sequence} was` : `events ${sequence} to ${sequence + count - 1} were`;
  return { reason: 'inserted', sequence, message: `${what} inserted` };
}

/** Whether the event for this place is found later. */
function moved(link: LinkHash, head: ChainHead, events: readonly ChainedEvent[]): Flaw | undefined {
  const place = head.sequence + 1;
  const at = events.findIndex(({ body, hash }, index) => {
    const belongs = index > 0 && link(head.hash, placedText(place, body));
    return belongs === hash || belongs === events[0]?.hash;
  });
  const found = events[at];
  if (found === undefined) return undefined;
  const after = events[at + 1];
  // Either the events after it moved with it, or there are none and the event in its place does not
  // follow it.
  const behind = after ?? events[0];
  const followsThere =
    behind !== undefined && link(found.hash, placedText(place + 1, behind.body)) === behind.hash;
  if (after === undefined ? !followsThere : followsThere) return inserted(place, at);
  return {
    reason: 'reordered',
    sequence: place,
    message: `event ${place} was moved to ${found.sequence}`,
  };
}
