import type { JobResponse } from '../job-response.ts';

/** The stored data of one idempotency key. */
export interface Claim {
  /** The call that has the key. */
  executionId: string;
  /** A digest of the request. */
  fingerprint: string;
  /** `null` while it runs, and after it was interrupted or its response was dropped. */
  response: JobResponse | null;
  /** The node that runs it, in a cluster; `null` if none does. */
  holder: ClaimHolder | null;
}

/** The node that runs a call in a cluster. */
export interface ClaimHolder {
  node: number;
  /** The epoch of the node: it grows when the node starts, and when its lease ends. */
  epoch: number;
}

/** A claim before its call runs. */
export interface NewClaim {
  /** Hexadecimal digests: the idempotency key within its route, and the caller. */
  name: string;
  owner: string;
  executionId: string;
  fingerprint: string;
  /** Milliseconds since the epoch. */
  claimedAt: number;
  /** Absent without a cluster. */
  holder?: ClaimHolder | undefined;
}

/** The stored claims. What they changed is durable when they resolve. They reject with `STORE_UNAVAILABLE`. */
export interface ClaimStore {
  /** Returns the claim of this name from after `expiredBefore`, or stores the new one in one step, and returns `undefined`. */
  claim(claim: NewClaim, expiredBefore: number): Promise<Claim | undefined>;
  /** Gives the claim of an interrupted call of the same request to a new one. Returns whether it still was interrupted. */
  reclaim(claim: NewClaim, interrupted: string): Promise<boolean>;
  /** Gives such a claim back to the interrupted call, because the new one did not run. */
  giveBack(claim: NewClaim, interrupted: string): Promise<void>;
  /**
   * Stores the response of a call under its claim. To make space, drops older responses; their claims stay, so their calls
   * do not run again. Rejects if there is still no space, or the call no longer has the claim.
   */
  respond(claim: NewClaim, response: JobResponse): Promise<void>;
  /** Removes the claim of a call without a response. */
  release(claim: NewClaim): Promise<void>;
  /** Removes claims from before a time, except names that are `busy`. */
  sweep(before: number, busy: { keys(): Iterable<string> }): Promise<void>;
}

/** Larger responses are stored one at a time, because several copies of each are in memory meanwhile. */
export const largeResponseBytes = 1024 * 1024;
