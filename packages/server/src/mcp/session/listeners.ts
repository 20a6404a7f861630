import type { Actor } from '@ambit/core/audit';

/** The same as the number of sessions per actor, so that one actor cannot crowd out others. */
const listenersMax = 64;

/** Counts open streams for notifications. */
export interface Listeners {
  /**
   * Adds a listener. Returns a function to call, any number of times, when it leaves; `undefined`
   * if the actor has too many.
   */
  join(actor: Actor): (() => void) | undefined;
}

export function listeners(): Listeners {
  const counts = new Map<Actor, number>();
  return {
    join(actor) {
      const count = counts.get(actor) ?? 0;
      if (count >= listenersMax) return undefined;
      counts.set(actor, count + 1);
      let isGone = false;
      return () => {
        if (isGone) return;
        isGone = true;
        const left = (counts.get(actor) ?? 1) - 1;
        if (left === 0) counts.delete(actor);
        else counts.set(actor, left);
      };
    },
  };
}
