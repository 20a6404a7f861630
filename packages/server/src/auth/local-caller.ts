import type { Actor } from '@ambit/core/audit';
import type { KeyRights } from './key-rights.ts';
import type { KeyRing } from './key-ring.ts';
import { programActor } from './reserved-actors.ts';

/** The caller of every connection to the private socket: the user of the daemon. */
export interface LocalCaller {
  /** Its rights, all that the first key has: any program that can connect can read that key. The same object while its name is. */
  rights(): KeyRights;
  /** Whether an actor is this caller. */
  is(actor: Actor): boolean;
}

/**
 * The user of the daemon as a caller. Calls, workspaces and stored answers belong to an actor, so no key may share its name: if
 * there is a key with the name of the user, or the program writes events under it, the actor is `uid:` and a number.
 */
export function localCaller({
  user,
  uid = process.getuid?.(),
  keys,
}: {
  user: string;
  uid?: number | undefined;
  keys: Pick<KeyRing, 'list'>;
}): LocalCaller {
  const named = rightsOf(user);
  // A key has no colon in its name.
  const numbered = rightsOf(`uid:${uid ?? 'unknown'}`);
  // Once it is a key's, it stays so: calls of a removed key may still run. The first key is the same person.
  let isTaken = user !== programActor.firstKey && Object.values<string>(programActor).includes(user);
  const rights = (): KeyRights => {
    isTaken ||= keys.list().some(({ record }) => record.name === user);
    return isTaken ? numbered : named;
  };
  return { rights, is: (actor) => actor === rights().actor };
}

function rightsOf(actor: Actor): KeyRights {
  return {
    actor,
    scopes: ['admin'],
    skills: undefined,
    ceiling: undefined,
    holds: () => true,
    // Only the end of the daemon ends them.
    revoked: new AbortController().signal,
  };
}
