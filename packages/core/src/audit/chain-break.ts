import { placedText } from './chain.ts';
import type { Flaw } from './verification.ts';

/** SHA-256 over 32 bytes, given in hex, and a text after them; in hex. What `eventHash` is, for those who read millions. */
export type LinkHash = (previous: string, text: string) => string;

/** Where a chain stands; hashes in hex, and the genesis at sequence 0. */
export interface ChainHead {
  sequence: number;
  hash: string;
}

/** An event as it is kept: its canonical text and its hash. */
export interface ChainedEvent extends ChainHead {
  body: string;
}

/** How many events are looked at to say what was done to them; what was moved farther is called edited. */
export const breakWindow = 4096;

/** Whether an event is the one that was written next. */
export function goesOn(link: LinkHash, head: ChainHead, { sequence, body, hash }: ChainedEvent): boolean {
  return sequence === head.sequence + 1 && link(head.hash, placedText(sequence, body)) === hash;
}

/**
 * Says what was done to a chain, from the last event that holds and those from the first that does not go on from it:
 * `breakWindow` of them, or all that there are. It is a guess at the deed, not at the fact: the chain is broken.
 */
export function nameBreak(link: LinkHash, head: ChainHead, events: readonly ChainedEvent[]): Flaw {
  const [bad, next] = events;
  if (bad === undefined) throw new Error('a chain breaks at an event');
  const place = head.sequence + 1;
  if (bad.sequence !== place) return removed(place, bad.sequence - 1);
  const found = (next && renumbered(link, bad, next)) ?? moved(link, head, events);
  if (found !== undefined) return found;
  // Its text is right and only its hash is not, as the next one goes on from the right one.
  const hash = link(head.hash, placedText(place, bad.body));
  const isSure = place === 1 || (next !== undefined && goesOn(link, { sequence: place, hash }, next));
  const or = isSure ? '' : `, or event ${head.sequence} before it was rewritten together with its hash`;
  return { reason: 'edited', sequence: place, message: `event ${place} is not what was written there${or}` };
}

function removed(from: number, to: number, then = ''): Flaw {
  const what = from === to ? `event ${from} is gone` : `events ${from} to ${to} are gone`;
  return { reason: 'removed', sequence: from, message: `${what}${then}, and no pruning was recorded` };
}

/** The next event goes on from this one as one of another number: so many are missing before them, or are too many. */
function renumbered(link: LinkHash, bad: ChainedEvent, next: ChainedEvent): Flaw | undefined {
  const fits = (shift: number): boolean =>
    link(bad.hash, placedText(next.sequence + shift, next.body)) === next.hash;
  // Most likely, and then there is nothing to look for.
  if (fits(0)) return undefined;
  for (let shift = 1; shift < breakWindow; shift += 1) {
    if (fits(shift))
      return removed(bad.sequence, bad.sequence + shift - 1, ' (those after were given their numbers)');
    if (shift < bad.sequence && fits(-shift)) return inserted(bad.sequence - shift, shift);
  }
  return undefined;
}

function inserted(sequence: number, count: number): Flaw {
  const what = count === 1 ? `event ${sequence} was` : `events ${sequence} to ${sequence + count - 1} were`;
  return { reason: 'inserted', sequence, message: `${what} put in among those that were written` };
}

/** The event that was written here stands later. */
function moved(link: LinkHash, head: ChainHead, events: readonly ChainedEvent[]): Flaw | undefined {
  const place = head.sequence + 1;
  const at = events.findIndex(({ body, hash }, index) => {
    const belongs = index > 0 && link(head.hash, placedText(place, body));
    return belongs === hash || belongs === events[0]?.hash;
  });
  const found = events[at];
  if (found === undefined) return undefined;
  const after = events[at + 1];
  // Either those behind it have moved with it, or there are none and what stands in its place does not come after it.
  const behind = after ?? events[0];
  const goesOnThere =
    behind !== undefined && link(found.hash, placedText(place + 1, behind.body)) === behind.hash;
  if (after === undefined ? !goesOnThere : goesOnThere) return inserted(place, at);
  return {
    reason: 'reordered',
    sequence: place,
    message: `the event that was written as ${place} stands at ${found.sequence}`,
  };
}
