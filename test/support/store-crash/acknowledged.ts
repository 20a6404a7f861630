/** The acknowledgements of a daemon before it was killed. */
export interface Acknowledged {
  /** Calls with idempotency keys, by key. */
  calls: Map<string, KeyedCall>;
  /** Numbers that only grow, each in a place of its own: a key of a skill's state, or a file in a workspace. */
  state: Map<string, Counter>;
  files: Map<string, Counter>;
  /** Keys of callers, by name. */
  keys: Map<string, CallerKey>;
  /** The workspace with the files. */
  workspace: string | undefined;
}

/** A call with an idempotency key. */
interface KeyedCall {
  /** The response, if it was acknowledged. */
  response: string | undefined;
  executionId: string | undefined;
}

/** A number that is replaced by a larger one again and again. */
export interface Counter {
  acknowledged: number;
  /** Sent, and perhaps stored. */
  sent: number;
}

/** A key of a caller. `maybe`: the command that would have changed it was killed. */
interface CallerKey {
  key: string;
  isRevoked: boolean | 'maybe';
}

/** The findings after the restarts. */
export interface CrashReport {
  rounds: number;
  /** Changes that were acknowledged. */
  acknowledged: { calls: number; state: number; files: number; keys: number };
  /** Calls with a key that were interrupted, so that their key refuses another run. */
  interrupted: number;
  /** Calls whose responses said that they were not stored, because the database was gone. */
  unstored: number;
  lost: string[];
  doubled: string[];
  /** Anything else that is wrong. */
  wrong: string[];
}

/** A change that is missing, a call that ran again, or anything else that is wrong. */
export type Finding = 'lost' | 'doubled' | 'wrong';

/** Nothing acknowledged yet. */
export function nothingAcknowledged(): Acknowledged {
  return { calls: new Map(), state: new Map(), files: new Map(), keys: new Map(), workspace: undefined };
}
