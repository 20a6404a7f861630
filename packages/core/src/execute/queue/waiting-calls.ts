import type { Actor } from '../../audit/event-parts.ts';

/** Waiting calls in the order of arrival. */
export interface WaitingCalls<Call extends { readonly actor: Actor }> extends Iterable<Call> {
  count(): number;
  add(call: Call): void;
  /** Has no effect if the call does not wait. */
  delete(call: Call): void;
  /**
   * The waiting call that gives way to a new call of `actor`: the latest of the key with the most waiting
   * calls, if that key still has at least as many as `actor` afterwards. `undefined` if there is none, so
   * the new call is refused.
   */
  displacedBy(actor: Actor): Call | undefined;
}

/** Starts empty. */
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
    displacedBy(actor) {
      let [greatest, most] = ['', 0];
      for (const [each, many] of counts) if (many > most) [greatest, most] = [each, many];
      if (most <= (counts.get(actor) ?? 0) + 1) return undefined;
      return [...all].findLast((call) => call.actor === greatest);
    },
  };
}
