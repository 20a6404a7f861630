import { type Actor, SkillError } from '@ambit/core';
import type { JobBounds } from './job-bounds.ts';

/** What the requests take that wait and run. */
export interface HeldMemory {
  /**
   * Takes so many bytes for a request of a key until the function that it returns is called, also when that is called again. Throws `OVERLOADED` when
   * there are not so many. What is too large for the bounds by itself may still come alone.
   */
  hold(actor: Actor, bytes: number): () => void;
}

/** Nobody has anything. One key gets no more than its share, so that there is some left for the others. */
export function heldMemory({ most, mostOfOne }: JobBounds['bodyBytes']): HeldMemory {
  const held = new Map<Actor, number>();
  let all = 0;
  const add = (actor: Actor, bytes: number): void => {
    const own = (held.get(actor) ?? 0) + bytes;
    all += bytes;
    if (own === 0) held.delete(actor);
    else held.set(actor, own);
  };
  return {
    hold(actor, bytes) {
      const own = held.get(actor) ?? 0;
      if ((own > 0 && own + bytes > mostOfOne) || (all > 0 && all + bytes > most))
        throw new SkillError(
          'OVERLOADED',
          `the requests that wait and run take as much memory as they may (${all} bytes, of the key ${actor} ${own}); send it again when some have ended`,
        );
      add(actor, bytes);
      let isHeld = true;
      return () => {
        if (isHeld) add(actor, -bytes);
        isHeld = false;
      };
    },
  };
}
