import type { Actor } from '@ambit/core/audit';
import type { HeldMemory } from '../held-memory.ts';
import type { Job } from '../job.ts';
import type { JobResponse } from '../job-response.ts';
import type { Claim } from './claim.ts';
import type { ClaimFiles } from './claim-files.ts';
import { IdempotencyError } from './idempotency-error.ts';
import { keyedMutex } from './keyed-mutex.ts';

/** A request with an idempotency key. */
export interface KeyedCall {
  actor: Actor;
  /** Hexadecimal digests: the API key, and the idempotency key within its route. */
  owner: string;
  name: string;
  /** A digest of the request. */
  fingerprint: string;
  executionId: string;
}

/** The call is new, or the first call with its key is running or has a response. */
export type ClaimResult =
  | { is: 'new'; job: Job }
  | { is: 'running'; job: Job }
  | { is: 'answered'; executionId: string; response: JobResponse };

/** Answers a repeated call without running it again, even after a restart. */
export interface Idempotency {
  /**
   * If the key is unused, makes a durable claim and starts the job with `begin`. `begin` receives a function
   * that stores the response; the job awaits it before it responds. Rejects with an `IdempotencyError`, or
   * with the error of `begin`.
   */
  claim(call: KeyedCall, begin: (store: StoreResponse) => Job): Promise<ClaimResult>;
  /** Removes expired claims. */
  sweep(): Promise<void>;
}

/** Stores a response under its key, or frees the key if nothing ran. Never rejects. */
export type StoreResponse = (response: JobResponse) => Promise<void>;

export interface IdempotencyOptions {
  files: ClaimFiles;
  retentionMs: number;
  now(): number;
  /** Counts a large response until it is written. */
  hold: HeldMemory['hold'];
  /** Called if a response could not be stored. The client still gets it; a second call with its key is refused. */
  onLost(executionId: string, cause: unknown): void;
}

/** A call that is being claimed or is running. */
interface Flight {
  executionId: string;
  fingerprint: string;
  claimed: Promise<ClaimResult>;
}

/** Bytes. Larger responses are written one at a time, because a write holds several copies in memory. */
const smallMax = 1024 * 1024;

const freshKey = 'use another key or none';

/** Starts with nothing in flight. `retentionMs` is how long a key is bound to its first call. */
export function idempotency({ files, retentionMs, now, hold, onLost }: IdempotencyOptions): Idempotency {
  const flights = new Map<string, Flight>();
  const writing = keyedMutex();

  const store = async (
    { actor, owner, name }: KeyedCall,
    claim: Claim,
    response: JobResponse,
  ): Promise<void> => {
    const write = () => files.write(owner, name, { ...claim, ending: response });
    if (response.body.bytes.length <= smallMax) return write();
    // Throws if too many bytes are already waiting.
    const release = hold(actor, response.body.bytes.length);
    try {
      await writing('large', write);
    } finally {
      release();
    }
  };

  const claimFirst = async (call: KeyedCall, begin: (store: StoreResponse) => Job): Promise<ClaimResult> => {
    const { owner, name, fingerprint, executionId } = call;
    const known = await reading(() => files.read(owner, name));
    if (known !== undefined && known.claimedAt + retentionMs > now()) return judge(known, call);
    const claim: Claim = { executionId, fingerprint, claimedAt: now(), ending: null };
    await reading(() => files.write(owner, name, claim));
    const free = async (): Promise<void> => files.remove(owner, name);
    try {
      const job = begin(async (response) => {
        try {
          if (response.ran) await store(call, claim, response);
          else await free();
        } catch (cause) {
          onLost(executionId, cause);
        }
      });
      return { is: 'new', job };
    } catch (error) {
      await free().catch((cause: unknown) => onLost(executionId, cause));
      throw error;
    }
  };

  return {
    async claim(call, begin) {
      const { name, fingerprint } = call;
      const flight = flights.get(name);
      if (flight !== undefined) {
        if (flight.fingerprint !== fingerprint) throw reused(flight.executionId);
        const claimed = await flight.claimed;
        return claimed.is === 'new' ? { is: 'running', job: claimed.job } : claimed;
      }
      const claimed = claimFirst(call, begin);
      // Set before the first await, so the next call joins this one.
      flights.set(name, { executionId: call.executionId, fingerprint, claimed });
      const forget = (): void => void flights.delete(name);
      void claimed.then((first) => {
        if (first.is === 'new') void first.job.ended.then(forget);
        else forget();
      }, forget);
      return claimed;
    },
    sweep: () => files.removeOlderThan(now() - retentionMs, (name) => flights.has(name)),
  };
}

function judge({ fingerprint, executionId, ending }: Claim, call: KeyedCall): ClaimResult {
  if (fingerprint !== call.fingerprint) throw reused(executionId);
  if (ending !== null) return { is: 'answered', executionId, response: ending };
  throw new IdempotencyError(
    'IDEMPOTENCY_INTERRUPTED',
    `the response of call ${executionId} is not stored, but the call may have run: check GET /executions/${executionId}. To run it again, ${freshKey}`,
    { executionId },
  );
}

function reused(executionId: string): IdempotencyError {
  return new IdempotencyError(
    'IDEMPOTENCY_KEY_REUSED',
    `this idempotency key was used for a different request, call ${executionId}; repeat that request, or ${freshKey}`,
    { executionId },
  );
}

async function reading<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): IdempotencyError {
  return new IdempotencyError(
    'STORE_UNAVAILABLE',
    'responses cannot be stored now, so a repeated call could run twice. Nothing has run. Send the call without Idempotency-Key, or retry once dataDir is writable and has free space',
    { cause },
  );
}
