import { hash } from 'node:crypto';
import { SkillError } from '@ambit/core';
import { JsonText } from '@ambit/core/json';
import { inOrder } from '../in-order.ts';
import { type Claim, type ClaimStore, largeResponseBytes } from '../jobs/idempotency/claim-store.ts';
import { ResponseHead } from '../jobs/idempotency/response-head.ts';
import { type ClaimBounds, type ClaimSums, claimSums } from './claim-sums.ts';
import type { StoredClaim } from './operations/claims.ts';
import { ownBytes } from './statement.ts';
import type { Store } from './store.ts';

interface StoredClaimsOptions {
  store: Store;
  bounds: ClaimBounds;
  /** Whether other nodes use them too. */
  isShared?: boolean;
}

const sweptAtOnce = 200;

/** The claims in a store. The first use reads how many there are; while that fails, nothing can be claimed. */
export function storedClaims({ store, bounds, isShared = false }: StoredClaimsOptions): ClaimStore {
  const sums = claimSums(bounds);
  const unrun = unrunCalls();
  let opened: Promise<void> | undefined;
  const reload = (): Promise<void> => sums.reload(() => store.run('sumClaims'));
  const whenOpen = (): Promise<void> => {
    opened ??= reload().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  return {
    async claim(claim, expiredBefore) {
      await whenOpen();
      const { name, owner, executionId } = claim;
      if (sums.isFull(owner)) {
        const known = await store.run('findClaim', name, expiredBefore);
        if (known === undefined)
          throw new SkillError('STORE_UNAVAILABLE', 'the maximum number of idempotency keys is stored');
        if (!unrun.get(name)?.includes(known.executionId)) return claimOf(known);
      }
      sums.add(owner, { claims: 1 });
      let known: StoredClaim | undefined;
      try {
        known = await store.run('claim', claim, expiredBefore, unrun.get(name));
      } catch (error) {
        sums.add(owner, { claims: -1 });
        // The claim may be stored although the answer was lost, or be stored soon. The next claim replaces it.
        unrun.add(name, executionId);
        void store.run('releaseClaim', name, executionId).catch(() => undefined);
        throw error;
      }
      unrun.delete(name);
      if (known === undefined) return undefined;
      sums.add(owner, { claims: -1 });
      return claimOf(known);
    },

    reclaim: (claim, interrupted) => store.run('reclaim', claim, interrupted),
    giveBack: (claim, interrupted) => store.run('giveBack', claim, interrupted),

    respond: storedResponses({ store, bounds, sums, reload }),

    async release({ name, owner, executionId, holder }) {
      try {
        if (await store.run('releaseClaim', name, executionId, holder)) sums.add(owner, { claims: -1 });
      } catch (error) {
        unrun.add(name, executionId);
        throw error;
      }
    },

    async sweep(before, busy) {
      await whenOpen();
      while ((await store.run('sweepClaims', before, [...busy.keys()], sweptAtOnce, isShared)) > 0);
      await reload();
    },
  };
}

interface StoredResponsesOptions extends Pick<StoredClaimsOptions, 'store' | 'bounds'> {
  sums: ClaimSums;
  /** Reads the sums again. */
  reload(): Promise<void>;
}

/** Stores responses within the bounds. Responses that are large or do not fit wait their turn and make space. */
function storedResponses({ store, bounds, sums, reload }: StoredResponsesOptions): ClaimStore['respond'] {
  const responseBytesMax = Math.min(bounds.bytesMax, bounds.ownerBytesMax);
  const storing = new Set<Promise<unknown>>();
  const inTurn = inOrder();
  const makeSpace = async (owner: string, bytes: number): Promise<void> => {
    for (let next = sums.excess(owner, bytes); next !== undefined; next = sums.excess(owner, bytes)) {
      // Responses that are being stored can be dropped too.
      await Promise.allSettled(storing);
      const freed = await store.run('dropResponses', next.owner, next.bytes);
      if (freed > 0) sums.add(next.owner, { bytes: -freed });
      else await reload();
      if (freed === 0 && sums.excess(owner, bytes) !== undefined) throw noSpace();
    }
  };

  return ({ name, owner, executionId, holder }, { body, ...head }) => {
    const bytes = body.bytes.length;
    if (bytes > responseBytesMax) return Promise.reject(noSpace());
    const write = async (): Promise<void> => {
      sums.add(owner, { bytes });
      const response = { head: JSON.stringify(head), body: ownBytes(body.bytes) };
      const stored = store.run('storeResponse', name, executionId, response, holder);
      storing.add(stored);
      try {
        if (!(await stored)) throw new Error('its claim was removed or belongs to another call');
      } catch (error) {
        sums.add(owner, { bytes: -bytes });
        throw error;
      } finally {
        storing.delete(stored);
      }
    };
    if (bytes <= largeResponseBytes && sums.excess(owner, bytes) === undefined) return write();
    return inTurn(async () => {
      await makeSpace(owner, bytes);
      await write();
    });
  };
}

/** The most names, where a new one replaces the oldest, and the most calls of each. */
const unrunMax = { names: 10_000, calls: 50 };

/** By name, the calls whose claim may be stored although nothing ran, because the connection was lost. */
function unrunCalls() {
  const calls = new Map<string, string[]>();
  return {
    get: (name: string): string[] | undefined => calls.get(name),
    delete: (name: string): boolean => calls.delete(name),
    add(name: string, executionId: string): void {
      // A client may retry often while the database is away. The stored claim is one of the first, or the latest.
      const earlier = (calls.get(name) ?? []).slice(0, unrunMax.calls - 1);
      calls.set(name, [...earlier, executionId]);
      const [oldest] = calls.keys();
      if (calls.size > unrunMax.names && oldest !== undefined) calls.delete(oldest);
    },
  };
}

function claimOf({ executionId, fingerprint, node, epoch, head, body }: StoredClaim): Claim {
  const holder = node === null || epoch === null ? null : { node, epoch };
  if (head === null) return { executionId, fingerprint, holder, response: null };
  try {
    if (body === null) throw new Error('it has no body');
    const response = { ...ResponseHead.parse(JSON.parse(head)), body: jsonText(body) };
    return { executionId, fingerprint, holder, response };
  } catch (cause) {
    throw new SkillError('STORE_UNAVAILABLE', 'the response stored for this key is damaged', { cause });
  }
}

function jsonText(bytes: Uint8Array): JsonText {
  return new JsonText(bytes, () => hash('sha256', bytes));
}

function noSpace(): Error {
  return new Error('the limits for stored responses are reached');
}
