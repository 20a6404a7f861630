import type { Actor } from '@ambit/core';
import type { HeldMemory } from '../held-memory.ts';
import type { Job } from '../job.ts';
import type { JobResponse } from '../job-response.ts';
import type { Claim } from './claim.ts';
import type { ClaimFiles } from './claim-files.ts';
import { IdempotencyError } from './idempotency-error.ts';
import { keyedMutex } from './keyed-mutex.ts';

/** A request that names a key. */
export interface KeyedCall {
  actor: Actor;
  /** Hexadecimal: whose the key is, and the key itself within its route. */
  owner: string;
  name: string;
  /** Of all that was asked for: the same for the same request alone. */
  fingerprint: string;
  executionId: string;
}

/** What becomes of it: it runs, or it is answered with what the first call with its key comes to. */
export type ClaimResult =
  | { is: 'new'; execution: Job }
  | { is: 'running'; execution: Job }
  | { is: 'answered'; executionId: string; ending: JobResponse };

/** Has a call that is sent again answered again and not run again, also after a restart. */
export interface Idempotency {
  /**
   * Begins the execution with `begin` when nobody has the key; the claim is durable before that. `begin` is given what has
   * to be awaited with the ending before anybody is answered. Rejects with an `IdempotencyError`, and with what `begin` throws.
   */
  claim(call: KeyedCall, begin: (settle: StoreResponse) => Job): Promise<ClaimResult>;
  /** Removes what is older than it is kept. */
  sweep(): Promise<void>;
}

/** Keeps an ending under the key, or gives the key back when nothing ran. Never rejects. */
export type StoreResponse = (ending: JobResponse) => Promise<void>;

export interface IdempotencyOptions {
  files: ClaimFiles;
  keepMs: number;
  now(): number;
  /** Where a large answer counts until it is written. */
  hold: HeldMemory['hold'];
  /** An answer could not be kept. It is given nevertheless, and a second call with its key is told that it is not kept. */
  onLost(executionId: string, cause: unknown): void;
}

/** One that is being claimed, or runs. */
interface Flight {
  executionId: string;
  fingerprint: string;
  claimed: Promise<ClaimResult>;
}

/** Bytes. An answer with more waits until no other such is written, for it is in memory several times meanwhile. */
const smallMax = 1024 * 1024;

const freshKey = 'send another key, or none';

/** Nothing is in flight yet. `keepMs`: for how long a key stands for its first call. */
export function idempotency({ files, keepMs, now, hold, onLost }: IdempotencyOptions): Idempotency {
  const flights = new Map<string, Flight>();
  const writing = keyedMutex();

  const keep = async (
    { actor, owner, name }: KeyedCall,
    claim: Claim,
    ending: JobResponse,
  ): Promise<void> => {
    const write = () => files.write(owner, name, { ...claim, ending });
    if (ending.body.bytes.length <= smallMax) return write();
    // Throws when too much waits already.
    const release = hold(actor, ending.body.bytes.length);
    try {
      await writing('large', write);
    } finally {
      release();
    }
  };

  const claimFirst = async (call: KeyedCall, begin: (settle: StoreResponse) => Job): Promise<ClaimResult> => {
    const { owner, name, fingerprint, executionId } = call;
    const known = await reading(() => files.read(owner, name));
    if (known !== undefined && known.claimedAt + keepMs > now()) return judge(known, call);
    const claim: Claim = { executionId, fingerprint, claimedAt: now(), ending: null };
    await reading(() => files.write(owner, name, claim));
    const giveBack = async (): Promise<void> => files.remove(owner, name);
    try {
      const execution = begin(async (ending) => {
        try {
          if (ending.ran) await keep(call, claim, ending);
          else await giveBack();
        } catch (cause) {
          onLost(executionId, cause);
        }
      });
      return { is: 'new', execution };
    } catch (error) {
      await giveBack().catch((cause: unknown) => onLost(executionId, cause));
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
        return claimed.is === 'new' ? { is: 'running', execution: claimed.execution } : claimed;
      }
      const claimed = claimFirst(call, begin);
      // Before anything is awaited: whoever comes now joins it.
      flights.set(name, { executionId: call.executionId, fingerprint, claimed });
      const land = (): void => void flights.delete(name);
      void claimed.then((first) => {
        if (first.is === 'new') void first.execution.ended.then(land);
        else land();
      }, land);
      return claimed;
    },
    sweep: () => files.removeOlderThan(now() - keepMs, (name) => flights.has(name)),
  };
}

function judge({ fingerprint, executionId, ending }: Claim, call: KeyedCall): ClaimResult {
  if (fingerprint !== call.fingerprint) throw reused(executionId);
  if (ending !== null) return { is: 'answered', executionId, ending };
  throw new IdempotencyError(
    'IDEMPOTENCY_INTERRUPTED',
    `the call ${executionId} has this key and its answer is not kept: it was broken off, or there was no room for its answer any more. Its record has how far it came: GET /executions/${executionId}. To run it once more ${freshKey}`,
    { executionId },
  );
}

function reused(executionId: string): IdempotencyError {
  return new IdempotencyError(
    'IDEMPOTENCY_KEY_REUSED',
    `the call ${executionId} has this key, and it asked for something else; send that request again, or ${freshKey}`,
    { executionId },
  );
}

async function reading<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (cause) {
    throw unavailable('answers cannot be kept just now', cause);
  }
}

function unavailable(why: string, cause: unknown): IdempotencyError {
  return new IdempotencyError(
    'IDEMPOTENCY_UNAVAILABLE',
    `${why}, and a call whose answer is not kept could run twice: nothing has run. Send it without Idempotency-Key, or again when there is room for what dataDir keeps`,
    { cause },
  );
}
