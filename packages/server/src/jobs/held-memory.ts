import { SkillError } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import type { JobBounds } from './job-bounds.ts';

/** Memory, or other space, of waiting and running requests. */
export interface HeldMemory {
  /**
   * Counts `bytes` for a key's request until the returned function is called; a second call has no effect.
   * Throws `OVERLOADED` if they do not fit. Accepts a request above the bounds if it is the only one.
   */
  hold(actor: Actor, bytes: number): () => void;
}

/** Starts empty. One key gets no more than `eachMax`, so there is some left for the others. `what` names it in refusals. */
export function heldMemory(
  { totalMax, eachMax }: JobBounds['bodyBytes'],
  what = 'request memory',
): HeldMemory {
  const byActor = new Map<Actor, number>();
  let total = 0;
  const add = (actor: Actor, bytes: number): void => {
    const own = (byActor.get(actor) ?? 0) + bytes;
    total += bytes;
    if (own === 0) byActor.delete(actor);
    else byActor.set(actor, own);
  };
  return {
    hold(actor, bytes) {
      const own = byActor.get(actor) ?? 0;
      if ((own > 0 && own + bytes > eachMax) || (total > 0 && total + bytes > totalMax))
        throw new SkillError(
          'OVERLOADED',
          `${what} full: ${total} bytes in use, ${own} of them by the key ${actor}; send the request again when some have ended`,
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
