import type { Actor } from '@ambit/core/audit';
import { authenticate, keyDigest } from './authenticate.ts';
import type { KeyRecord } from './key-record.ts';
import type { Authentication, KeyRights, PendingAuthentication } from './key-rights.ts';
import { type KeySource, KeysLockedError } from './key-store.ts';
import { rateLimiter, type SharedRates } from './rate-limiter.ts';
import { programActor } from './reserved-actors.ts';
import { revocations } from './revocations.ts';

export interface KeyRingOptions {
  /** The first key, which has every right. */
  firstKey: string;
  /** The other keys; read again whenever they change. */
  source: KeySource;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Called once for each unusable state of the source. The keys that were read before stay valid. */
  onUnusable(error: unknown): void;
  /** The rates that the nodes of a cluster share; absent: they are this daemon's own. */
  sharedRates?: SharedRates | undefined;
}

/** All keys of a daemon. */
export interface KeyRing {
  /**
   * Checks an `Authorization` header, and counts the request against its key's rate. Throws `STORE_UNAVAILABLE` if that
   * needs keys that may be out of date.
   */
  authenticate(header: string | undefined): Authentication | PendingAuthentication;
  /**
   * The rights of a caller that another node of the cluster has authenticated. Throws `STORE_UNAVAILABLE` as
   * `authenticate` does.
   */
  rightsOf(actor: Actor): Authentication;
  /** Every stored key, in order of creation. The first key is not among them. */
  list(): readonly { record: KeyRecord; status: 'good' | 'expired' | 'revoked' }[];
  /** Reads changes of the keys, as each request does, for times without requests. */
  look(): void;
}

/** A change takes milliseconds. After this, something else holds the lock. */
const lockedMsMax = 5000;

interface HeldKey {
  digest: Uint8Array;
  rights: KeyRights;
  /** Absent for the first key. */
  record?: KeyRecord;
}

/**
 * Opens the keys. Each request reads changes, so a created or revoked key takes effect with the
 * next request. Throws a `KeyFileError` if the source is unusable.
 */
export function keyRing({ firstKey, source, now, onUnusable, sharedRates }: KeyRingOptions): KeyRing {
  const rates = rateLimiter(now);
  const first: HeldKey = {
    digest: keyDigest(firstKey),
    rights: {
      actor: programActor.firstKey,
      scopes: ['admin'],
      skills: undefined,
      ceiling: undefined,
      holds: () => true,
      // The first key changes only with a restart.
      revoked: new AbortController().signal,
    },
  };
  const signals = revocations();
  const read = (): HeldKey[] => [
    first,
    ...source.read().map((record) => held(record, isInForce, signals.of(record))),
  ];
  const isInForce = ({ name, sha256 }: KeyRecord): boolean =>
    current().some(
      ({ record }) =>
        record?.name === name && record.sha256 === sha256 && whyNot(record, now()) === undefined,
    );

  // The stamp first: a change after it is read again, a change before it is in what is read.
  let stamp = source.stamp();
  let keys = read();
  let locked: { since: number; isReported: boolean } | undefined;
  const current = (): readonly HeldKey[] => {
    const seen = source.stamp();
    if (seen === stamp) return keys;
    try {
      keys = read();
      stamp = seen;
      locked = undefined;
      const names = new Set(keys.map(({ rights }) => rights.actor));
      rates.retain(names);
      sharedRates?.retain(names);
      signals.retain(keys.flatMap(({ record = [] }) => record));
    } catch (error) {
      // The next request tries again, with the stamp that it then has.
      if (error instanceof KeysLockedError) reportLocked(error);
      else {
        stamp = seen;
        onUnusable(error);
      }
    }
    return keys;
  };
  const reportLocked = (error: KeysLockedError): void => {
    locked ??= { since: now(), isReported: false };
    if (locked.isReported || now() - locked.since < lockedMsMax) return;
    locked.isReported = true;
    onUnusable(error);
  };

  return {
    look: () => void current(),
    list: () =>
      current().flatMap(({ record }) =>
        record === undefined ? [] : [{ record, status: whyNot(record, now())?.status ?? 'good' }],
      ),
    rightsOf(actor) {
      const known = current().find(({ rights }) => rights.actor === actor);
      if (known === undefined) {
        source.requireFresh?.();
        return { status: 'wrong' };
      }
      const { record, rights } = known;
      if (record === undefined) return { status: 'accepted', rights };
      source.requireFresh?.();
      const ended = whyNot(record, now());
      return ended === undefined ? { status: 'accepted', rights } : { ...ended, actor };
    },
    authenticate(header) {
      const presented = authenticate(header, current());
      if (presented.status === 'wrong') source.requireFresh?.();
      if (presented.status !== 'known') return presented;
      const { record, rights } = presented.key;
      if (record === undefined) return { status: 'accepted', rights };
      source.requireFresh?.();
      const { actor } = rights;
      const ended = whyNot(record, now());
      if (ended !== undefined) return { ...ended, actor };
      const { ratePerMinute } = record;
      if (ratePerMinute === undefined) return { status: 'accepted', rights };
      const counted = (retryAfterMs: number): Authentication =>
        retryAfterMs > 0 ? { status: 'limited', actor, retryAfterMs } : { status: 'accepted', rights };
      if (sharedRates === undefined) return counted(rates.take(actor, ratePerMinute));
      const taken = sharedRates.take(actor, ratePerMinute);
      if (taken !== undefined) return counted(taken);
      return { status: 'borrowing', actor, settled: sharedRates.borrow(actor, ratePerMinute).then(counted) };
    },
  };
}

function held(record: KeyRecord, isInForce: (record: KeyRecord) => boolean, revoked: AbortSignal): HeldKey {
  const { name, scopes, skills, ceiling, sha256 } = record;
  return {
    digest: Buffer.from(sha256, 'hex'),
    record,
    rights: {
      actor: name,
      scopes,
      skills: skills === undefined ? undefined : new Set(skills),
      ceiling,
      holds: () => isInForce(record),
      revoked,
    },
  };
}

function whyNot(
  { revokedAt, expiresAt }: KeyRecord,
  time: number,
): { status: 'expired' | 'revoked'; since: string } | undefined {
  if (revokedAt !== undefined) return { status: 'revoked', since: revokedAt };
  if (expiresAt !== undefined && Date.parse(expiresAt) <= time)
    return { status: 'expired', since: expiresAt };
  return undefined;
}
