import { SkillError } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import { Refusal } from '../../errors/refusal.ts';
import type { HeldMemory } from '../held-memory.ts';
import type { Job } from '../job.ts';
import type { JobResponse } from '../job-response.ts';
import {
  type Claim,
  type ClaimHolder,
  type ClaimStore,
  largeResponseBytes,
  type NewClaim,
} from './claim-store.ts';

/** A request with an idempotency key. */
export interface KeyedCall extends Omit<NewClaim, 'claimedAt'> {
  actor: Actor;
}

/** The call is new, or the first call with its key is running or has a response. */
type ClaimResult =
  | { is: 'new'; job: Job; rerunOf?: string }
  | { is: 'running'; job: Job }
  | { is: 'answered'; executionId: string; response: JobResponse }
  /** It runs on another node of the cluster. */
  | { is: 'elsewhere'; executionId: string; holder: ClaimHolder };

/** Answers a repeated call without running it again, even after a restart. */
export interface Idempotency {
  /**
   * If the key is unused, makes a durable claim and starts the job with `begin`. `begin` receives a function
   * that stores the response; the job sends what that returns. Rejects with a `Refusal`, with
   * `STORE_UNAVAILABLE`, or with the error of `begin`. If the first call with the key was interrupted, `mayRerun` says whether this
   * one runs; absent: it does not.
   */
  claim(
    call: KeyedCall,
    begin: (store: StoreResponse) => Job,
    mayRerun?: () => Promise<boolean>,
  ): Promise<ClaimResult>;
  /** Removes expired claims. */
  sweep(): Promise<void>;
}

/** Stores a response under its key, or frees the key if nothing ran. Resolves to the response to send; never rejects. */
export type StoreResponse = (response: JobResponse) => Promise<JobResponse>;

/** The nodes that run calls in a cluster. */
export interface ClaimHolders {
  /** This node. */
  own(): ClaimHolder;
  /** Whether another node still has that epoch. */
  isRunning(holder: ClaimHolder): boolean;
}

export interface IdempotencyOptions {
  claims: ClaimStore;
  retentionMs: number;
  now(): number;
  /** Absent without a cluster. */
  holders?: ClaimHolders | undefined;
  /** Counts a large response until it is stored. */
  hold: HeldMemory['hold'];
  /** Called if a response could not be stored. The client still gets it, with a mark; a second call with its key is refused. */
  onLost(executionId: string, cause: unknown): void;
}

/** A call that is being claimed or is running. */
interface Flight {
  executionId: string;
  fingerprint: string;
  claimed: Promise<ClaimResult>;
}

const freshKey = 'use another key or none';

/** Starts with nothing in flight. `retentionMs` is how long a key is bound to its first call. */
export function idempotency({
  claims,
  retentionMs,
  now,
  holders,
  hold,
  onLost,
}: IdempotencyOptions): Idempotency {
  const flights = new Map<string, Flight>();

  const store = async (actor: Actor, claim: NewClaim, response: JobResponse): Promise<void> => {
    const { length } = response.body.bytes;
    // Throws if too many bytes are already waiting.
    const release = length > largeResponseBytes ? hold(actor, length) : undefined;
    try {
      await claims.respond(claim, response);
    } finally {
      release?.();
    }
  };

  const claimFirst = async (
    call: KeyedCall,
    begin: (store: StoreResponse) => Job,
    mayRerun: (() => Promise<boolean>) | undefined,
  ): Promise<ClaimResult> => {
    const { actor, ...unclaimed } = call;
    const claim: NewClaim = { ...unclaimed, claimedAt: now(), holder: holders?.own() };
    const known = await claims.claim(claim, claim.claimedAt - retentionMs).catch(refuse);
    if (known !== undefined)
      try {
        return judge(known, call, holders);
      } catch (error) {
        const isInterrupted = error instanceof Refusal && error.code === 'IDEMPOTENCY_INTERRUPTED';
        if (!isInterrupted || (await mayRerun?.()) !== true) throw error;
        if (!(await claims.reclaim(claim, known.executionId).catch(refuse))) throw error;
      }
    const { executionId } = call;
    // The interrupted call may have run, so its key stays bound to it.
    const unclaim = (): Promise<void> =>
      known === undefined ? claims.release(claim) : claims.giveBack(claim, known.executionId);
    try {
      const job = begin(async (response) => {
        try {
          if (response.ran) await store(actor, claim, response);
          else await unclaim();
          return response;
        } catch (cause) {
          onLost(executionId, cause);
          return { ...response, isUnstored: true };
        }
      });
      return known === undefined ? { is: 'new', job } : { is: 'new', job, rerunOf: known.executionId };
    } catch (error) {
      await unclaim().catch((cause: unknown) => onLost(executionId, cause));
      throw error;
    }
  };

  return {
    async claim(call, begin, mayRerun) {
      const { name, fingerprint } = call;
      const flight = flights.get(name);
      if (flight !== undefined) {
        if (flight.fingerprint !== fingerprint) throw reused(flight.executionId);
        const claimed = await flight.claimed;
        return claimed.is === 'new' ? { is: 'running', job: claimed.job } : claimed;
      }
      const claimed = claimFirst(call, begin, mayRerun);
      // Set before the first await, so the next call joins this one.
      flights.set(name, { executionId: call.executionId, fingerprint, claimed });
      const forget = (): void => void flights.delete(name);
      void claimed.then((first) => {
        if (first.is === 'new') void first.job.ended().then(forget);
        else forget();
      }, forget);
      return claimed;
    },
    sweep: () => claims.sweep(now() - retentionMs, flights),
  };
}

function judge(
  { fingerprint, executionId, response, holder }: Claim,
  call: KeyedCall,
  holders: ClaimHolders | undefined,
): ClaimResult {
  if (fingerprint !== call.fingerprint) throw reused(executionId);
  if (response !== null) return { is: 'answered', executionId, response };
  if (holder !== null && holders?.isRunning(holder)) return { is: 'elsewhere', executionId, holder };
  throw new Refusal(
    'IDEMPOTENCY_INTERRUPTED',
    `the response of call ${executionId} is not stored, but the call may have run: check GET /executions/${executionId}. To run it again, ${freshKey}`,
    { details: { originalExecutionId: executionId } },
  );
}

function reused(executionId: string): Refusal {
  return new Refusal(
    'IDEMPOTENCY_KEY_REUSED',
    `this idempotency key was used for a different request, call ${executionId}; repeat that request, or ${freshKey}`,
    { details: { originalExecutionId: executionId } },
  );
}

function refuse(error: unknown): never {
  if (!(error instanceof SkillError) || error.code !== 'STORE_UNAVAILABLE') throw error;
  throw new SkillError(
    error.code,
    `${error.message}. Nothing has run. Send the call without Idempotency-Key, or again once the store works`,
    { cause: error },
  );
}
