import type { Actor } from '../audit/event-parts.ts';

/** Calls that wait, in the order in which they came. */
export interface WaitingCalls<Call extends { readonly actor: Actor }> extends Iterable<Call> {
  count(): number;
  add(call: Call): void;
  /** Nothing happens where it does not wait. */
  delete(call: Call): void;
  /**
   * The call that goes where there is no room for one more of `actor`: the latest of the key that has most, if that one
   * still has as many as `actor` then. `undefined` when there is none, so that it is the newcomer who is refused.
   */
  goesFor(actor: Actor): Call | undefined;
}

/** None yet. */
export function waitingCalls<Call extends { readonly actor: Actor }>(): WaitingCalls<Call> {
  const all = new Set<Call>();
  const counts = new Map<Actor, number>();
  const count = (actor: Actor, by: 1 | -1): void => {
    const many = (counts.get(actor) ?? 0) + by;
    if (many === 0) counts.delete(actor);
    else counts.set(actor, many);
  };
  return {
    count: () => all.size,
    [Symbol.iterator]: () => all[Symbol.iterator](),
    add(call) {
      all.add(call);
      count(call.actor, 1);
    },
    delete(call) {
      if (all.delete(call)) count(call.actor, -1);
    },
    goesFor(actor) {
      let [greatest, most] = ['', 0];
      for (const [each, many] of counts) if (many > most) [greatest, most] = [each, many];
      if (most <= (counts.get(actor) ?? 0) + 1) return undefined;
      return [...all].findLast((call) => call.actor === greatest);
    },
  };
}
