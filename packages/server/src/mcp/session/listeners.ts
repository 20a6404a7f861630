import type { Actor } from '@ambit/core/audit';

/** As many as there are sessions for one actor; one that opens more would keep others from being told anything. */
const listenersMax = 64;

/** Counts who listens for as long as nobody ends it. */
export interface Listeners {
  /** Lets one more listen; what to call when it has gone, any number of times. `undefined`: this actor has enough. */
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
