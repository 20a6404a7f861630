import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import { programActor } from '../../auth/reserved-actors.ts';
import { Refusal } from '../../errors/refusal.ts';
import { inOrder } from '../../in-order.ts';
import type { LockTarget, SharedLock, SharedRevision } from '../../installs/installer-deps.ts';
import { removeOtherEnvironments, removeOtherVersions } from '../../installs/stored-versions.ts';
import { listedEnvironments, listedVersions } from '../../installs/sync-skills.ts';
import { draftLock, type Lock, lockIn, lockText, readLock } from '../../lock/lock-file.ts';
import { repeat } from '../../repeat.ts';
import type { Store } from '../../store/store.ts';
import { fetchVersion, foldersOf, type StoredFolders, uploadFolders, versionsOf } from './stored-folders.ts';

/** The lock file of a cluster at one of its nodes. */
export interface ClusterLock extends SharedLock {
  /**
   * Brings this node up to date when its daemon starts. The first node with installed skills shares them. Rejects with
   * `STORE_UNAVAILABLE`, `LOCK_INVALID` and `LOCK_MISMATCH`.
   */
  start(target: LockTarget): Promise<void>;
  /** Resolves to whether this node has the last revision, with all its files. Rejects with `STORE_UNAVAILABLE`. */
  isComplete(): Promise<boolean>;
  /** Looks for changes each second. Returns a function that stops it. */
  watch(target: LockTarget): () => void;
  /** Throws `LEASE_LOST` if the revision could not be read for 30 seconds. */
  requireFresh(): void;
}

interface ClusterLockLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface ClusterLockOptions {
  store: Pick<Store, 'run'>;
  /** The number of this node. */
  node: number;
  logger: ClusterLockLogger;
  /** The pause between two looks. */
  intervalMs?: number;
  /** The time without a successful look after which calls are refused. */
  maxAgeMs?: number;
}

/** The time after which versions that could not be fetched are tried again. */
const retryMs = 10_000;

/** The revision that this node has applied. */
interface AppliedRevision extends SharedRevision {
  /** The cluster's own, which also lists what this node could not fetch. */
  shared: SharedRevision;
  /** The state of the lock file after that. */
  stamp: string;
  /** The time at which versions that could not be fetched are tried again; `undefined`: this node has all of them. */
  retryAt: number | undefined;
}

/**
 * The lock file of a cluster. The database has the last revision and the files of its skills, by digest. This node has a copy
 * that it replaces as a whole, after it has fetched and verified the files. A skill whose files it cannot get is unchanged.
 */
export function clusterLock({
  store,
  node,
  logger,
  intervalMs = 1000,
  maxAgeMs = 30_000,
}: ClusterLockOptions): ClusterLock {
  let applied: AppliedRevision | undefined;
  let readAt = performance.now();
  /** Whether the lock file has changed since it was last applied. */
  let mustApply = false;
  let failure: unknown;
  /** A change and a look at the database never overlap. */
  const oneByOne = inOrder();
  const foldersAt = ({ config }: LockTarget): StoredFolders => ({ store, dataDir: config().dataDir });

  const revisionNow = async (): Promise<number> => {
    const askedAt = performance.now();
    const revision = await store.run('documentRevision', 'catalog');
    readAt = askedAt;
    return revision;
  };
  const isEdited = ({ config }: LockTarget): boolean =>
    applied !== undefined && applied.stamp !== stampOf(config().lockFile);
  /** Whether this node has applied a revision. */
  const isCurrent = (target: LockTarget, revision: number): boolean =>
    applied === undefined
      ? revision === 0
      : applied.revision === revision &&
        !mustApply &&
        !isEdited(target) &&
        performance.now() < (applied.retryAt ?? Infinity);

  const pull = async (target: LockTarget, checksAll = false): Promise<SharedRevision> => {
    const { lockFile } = target.config();
    const revision = await revisionNow();
    if (revision === 0) return { revision, lock: await readLock(lockFile) };
    if (applied !== undefined && isCurrent(target, revision) && failure === undefined && !checksAll)
      return applied.shared;
    const stored = await store.run('readDocument', 'catalog');
    if (stored === undefined)
      throw new SkillError(
        'STORE_UNAVAILABLE',
        'the database has no list of installed skills, although it has a revision; restore the table documents from a backup',
      );
    if (isEdited(target))
      logger.warn({ lockFile }, 'replaced a lock file that was edited: change skills with "ambit skills"');
    if (applied?.revision !== stored.revision) {
      const { content: _, ...change } = stored;
      logger.info({ change }, 'the installed skills of the cluster have changed');
    }
    const shared = { revision: stored.revision, lock: lockIn(lockFile, stored.content) };
    await take(target, shared, checksAll || applied?.retryAt !== undefined);
    return shared;
  };

  /** Makes a revision the one of this node. */
  const take = async (target: LockTarget, shared: SharedRevision, checksAll: boolean): Promise<void> => {
    const { lockFile } = target.config();
    const { revision, lock } = shared;
    const before = applied?.lock ?? (await readLock(lockFile));
    const failed = await fetchAll(target, lock, checksAll || applied === undefined ? undefined : before);
    const isNew = applied?.revision !== revision;
    for (const [id, err] of isNew ? failed : [])
      logger.warn(
        { id, err },
        'cannot get the files of an installed skill; its previous version stays in force',
      );
    const skills = Object.keys({ ...before.skills, ...lock.skills }).flatMap((id) => {
      const entry = (failed.has(id) ? before : lock).skills[id];
      return entry === undefined ? [] : [[id, entry] as const];
    });
    const mine = { ...lock, skills: Object.fromEntries(skills) };
    const changes = (await readFile(lockFile, 'utf8').catch(() => '')) !== lockText(lockFile, mine);
    mustApply ||= changes || checksAll;
    if (changes) await (await draftLock(lockFile, mine)).commit();
    applied = {
      shared,
      revision,
      lock: mine,
      stamp: stampOf(lockFile),
      retryAt: failed.size === 0 ? undefined : performance.now() + retryMs,
    };
    if (!mustApply) return;
    await target.apply();
    mustApply = false;
  };

  /** Fetches the versions that `known` does not list. Resolves to the skills whose files are unavailable, and why. */
  const fetchAll = async (
    target: LockTarget,
    lock: Lock,
    known: Lock | undefined,
  ): Promise<Map<string, unknown>> => {
    const failed = new Map<string, unknown>();
    for (const id of Object.keys(lock.skills)) {
      if (known !== undefined && isSame(lock.skills[id], known.skills[id])) continue;
      try {
        for (const each of versionsOf(lock, id)) await fetchVersion(foldersAt(target), each);
      } catch (error) {
        failed.set(id, error);
      }
    }
    return failed;
  };

  const publish: ClusterLock['publish'] = async (target, { lock, revision, actor }, change, commit) => {
    const claim = randomUUID();
    const answer = await store.run('claimDocument', 'catalog', revision, claim);
    if (answer !== 'granted')
      throw new Refusal(
        'REVIEW_STALE',
        answer === 'changed'
          ? 'another node has changed the installed skills meanwhile, so this change was not made; try again'
          : 'another node is changing the installed skills, so this change was not made; try again in a moment',
      );
    const result = await change().catch(async (error: unknown) => {
      await store.run('releaseDocument', 'catalog', claim).catch(() => undefined);
      throw error;
    });
    const { lockFile } = target.config();
    const content = lockText(lockFile, lock);
    const written = await store.run('writeDocument', 'catalog', claim, { content, actor, node });
    if (written === undefined)
      throw new Refusal(
        'REVIEW_STALE',
        'the change took too long, and another node has changed the installed skills meanwhile; compare them with "ambit skills list", and try again',
      );
    await commit();
    const shared = { revision: written, lock };
    applied = { shared, ...shared, stamp: stampOf(lockFile), retryAt: applied?.retryAt };
    // If this fails, the next change removes them.
    void store.run('removeUnusedTrees', foldersOf(lock)).catch(() => undefined);
    return result;
  };

  return {
    read: (target) => oneByOne(() => pull(target)),
    restore: (target) => oneByOne(async () => void (await pull(target, true))),
    async publish(target, next, change, commit) {
      // Takes a while, and changes nothing that others see.
      await uploadFolders(foldersAt(target), next.lock);
      return oneByOne(() => publish(target, next, change, commit));
    },
    start: (target) =>
      oneByOne(async () => {
        const { revision, lock } = await pull(target);
        const nothing = async (): Promise<void> => undefined;
        if (revision === 0 && Object.keys(lock.skills).length > 0) {
          await uploadFolders(foldersAt(target), lock);
          await publish(target, { revision, lock, actor: programActor.ambit }, nothing, nothing);
        }
        if (applied === undefined) return;
        // No call uses them yet.
        const { dataDir } = target.config();
        await removeOtherVersions(dataDir, listedVersions(applied.lock));
        await removeOtherEnvironments(dataDir, listedEnvironments(applied.lock));
      }),
    async isComplete() {
      const revision = await revisionNow();
      return revision === (applied?.revision ?? 0) && applied?.retryAt === undefined;
    },
    watch(target) {
      let isStopped = false;
      let isPulling = false;
      const report = (err: unknown): void => {
        if (failure === undefined && !isStopped)
          logger.warn({ err }, 'cannot read changes of the installed skills');
        failure = err;
      };
      const pullSoon = (): void => {
        if (isPulling) return;
        isPulling = true;
        // Not awaited: fetching files can take longer than a revision may be out of date.
        void oneByOne(() => pull(target))
          .then(() => (failure = undefined), report)
          .finally(() => (isPulling = false));
      };
      const look = async (): Promise<void> => {
        try {
          // After a failure it may be another database, restored from a backup, with the same revision.
          if (!isCurrent(target, await revisionNow()) || failure !== undefined) pullSoon();
        } catch (error) {
          report(error);
        }
      };
      const stop = repeat(look, { intervalMs });
      return () => {
        isStopped = true;
        stop();
      };
    },
    requireFresh() {
      if (performance.now() - readAt <= maxAgeMs) return;
      throw new SkillError(
        'LEASE_LOST',
        `this node takes no calls: it could not read changes of the installed skills for ${maxAgeMs / 1000} s${failure === undefined ? '' : ` (${thrownText(failure)})`}. Send the call to another node, or again later`,
        { cause: failure },
      );
    },
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Changes with each edit of a file; empty without one. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
