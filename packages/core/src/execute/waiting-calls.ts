import type { Actor } from '../audit/audit-event.ts';

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
  const byActor = new Map<Actor, Set<Call>>();
  return {
    count: () => all.size,
    [Symbol.iterator]: () => all[Symbol.iterator](),
    add(call) {
      all.add(call);
      byActor.set(call.actor, (byActor.get(call.actor) ?? new Set()).add(call));
    },
    delete(call) {
      all.delete(call);
      const own = byActor.get(call.actor);
      own?.delete(call);
      if (own?.size === 0) byActor.delete(call.actor);
    },
    goesFor(actor) {
      let most: ReadonlySet<Call> = new Set();
      for (const calls of byActor.values()) if (calls.size > most.size) most = calls;
      const own = byActor.get(actor)?.size ?? 0;
      return most.size > own + 1 ? [...most].at(-1) : undefined;
    },
  };
}
