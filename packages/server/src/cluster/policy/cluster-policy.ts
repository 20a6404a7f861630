import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import {
  missingSecrets,
  type PublishedPolicy,
  policyChanges,
  policySections,
  withPolicy,
} from '../../config/cluster-policy.ts';
import type { ClusterPolicyRevision, Config } from '../../config/config.ts';
import { repeat } from '../../repeat.ts';
import type { StoredPolicy } from '../../store/operations/policy.ts';
import type { Store } from '../../store/store.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { writePolicyCopy } from './policy-copy.ts';
import { UnusablePolicyError, verifiedPolicy } from './stored-policy.ts';

/** The policy of a cluster at one of its nodes. */
export interface ClusterPolicy {
  /** Applies the policy when the daemon starts. A policy that cannot be applied is logged. Rejects with `STORE_UNAVAILABLE`. */
  start(target: PolicyTarget): Promise<void>;
  /** Looks for a new revision each second. Returns a function that stops it. */
  watch(target: PolicyTarget): () => void;
  /** A configuration that was read from the file, under the policy in force. */
  over(config: Config): Config;
  /**
   * Throws `LEASE_LOST` if this node cannot apply the policy to its configuration, or could not look for a new revision for 30
   * seconds.
   */
  requireApplied(config: Config): void;
}

/** The target that a policy is applied to. */
export interface PolicyTarget {
  /** The configuration in force. */
  config(): Config;
  /** Changes it, as a reload does. */
  change(next: (config: Config) => Promise<Config>): Promise<void>;
}

export interface ClusterPolicyOptions {
  store: Pick<Store, 'run'>;
  identity: Pick<NodeIdentity, 'cluster' | 'authority'>;
  logger: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** The pause between two looks. */
  intervalMs?: number;
  /** The time without a successful look after which calls are refused. */
  maxAgeMs?: number;
}

/** The time after which a policy that this node could not apply is tried again. */
const retryMs = 10_000;

export function clusterPolicy({
  store,
  identity,
  logger,
  intervalMs = 1000,
  maxAgeMs = 30_000,
}: ClusterPolicyOptions): ClusterPolicy {
  let current: ClusterPolicyRevision | undefined;
  /** The state of the database at the last successful look: see `policyState`. */
  let seen: string | undefined;
  /** The last revision, if it is not in force here, and why. */
  let refused: { revision: number; why: string; retryAt: number } | undefined;
  let readAt = performance.now();
  let failure: unknown;

  const look = async (target: PolicyTarget): Promise<void> => {
    const askedAt = performance.now();
    const { revision, state } = await store.run('policyState');
    // After a failure it may be another database, restored from a backup, which has the same state.
    const isKnown = state === seen && failure === undefined;
    if (!isKnown || (refused !== undefined && askedAt >= refused.retryAt)) await pull(target, revision);
    // Only now: a revision that cannot be read must not count as read.
    seen = state;
    readAt = askedAt;
  };
  const pull = async (target: PolicyTarget, asked: number): Promise<void> => {
    try {
      const stored = await store.run('readPolicy');
      const published = stored && { ...verifiedPolicy(stored, identity), stored };
      const { revision: known } = target.config().clusterPolicy ?? {};
      if (published === undefined && known !== undefined)
        throw new UnusablePolicyError(
          asked,
          `this node has revision ${known}, and the database has none; publish the policy again`,
        );
      if (published !== undefined && known !== undefined && published.revision < known)
        throw new UnusablePolicyError(
          published.revision,
          `this node has revision ${known}, which is newer; publish the policy again`,
        );
      if (published !== undefined) await apply(target, published);
      refused = undefined;
    } catch (error) {
      if (!(error instanceof UnusablePolicyError)) throw error;
      refuse(asked, error.message);
    }
  };
  const apply = async (
    { config, change }: PolicyTarget,
    { revision, sections, actor, changedAt, stored }: PublishedPolicy & { stored: StoredPolicy },
  ) => {
    const next = { revision, sections };
    if (refused === undefined && JSON.stringify(next) === JSON.stringify(current)) return;
    const missing = sections === null ? [] : missingSecrets(sections, config());
    if (missing.length > 0)
      throw new UnusablePolicyError(
        revision,
        `it grants ${missing.join(', ')}, and secrets of this node's configuration has no such name; add its source there`,
      );
    const before = current;
    const isInForce = JSON.stringify(withPolicy(config(), next)) === JSON.stringify(config());
    // A reload that begins meanwhile uses it too.
    current = next;
    try {
      if (!isInForce) await change(async (read) => withPolicy(read, next));
      await writePolicyCopy(config().dataDir, stored);
    } catch (error) {
      current = before;
      throw new UnusablePolicyError(revision, thrownText(error));
    }
    const details = { revision, actor, changedAt };
    if (sections === null)
      logger.info(details, "the policy of the cluster was withdrawn; this node's own file is in force");
    else logger.info(details, 'the policy of the cluster is in force');
    warnOfOwn(config());
  };
  const refuse = (revision: number, why: string): void => {
    if (refused?.why !== why)
      logger.error({ revision, why }, 'cannot apply the policy of the cluster; this node takes no calls');
    refused = { revision, why, retryAt: performance.now() + retryMs };
  };
  const warnOfOwn = (applied: Config): void => {
    const { own, revision } = applied.clusterPolicy ?? {};
    const keys = own == null ? [] : policyChanges(own, policySections(applied)).map(({ key }) => key);
    if (keys.length > 0)
      logger.warn({ revision, keys }, "the policy of the cluster replaces settings of this node's file");
  };
  const lost = (why: string, cause?: unknown): SkillError =>
    new SkillError(
      'LEASE_LOST',
      `this node takes no calls: ${why}. Send the call to another node, or again later`,
      { cause },
    );
  return {
    async start(target) {
      const { revision, state } = await store.run('policyState');
      await pull(target, revision);
      seen = state;
    },
    over(read) {
      if (current === undefined) return read;
      const next = withPolicy(read, current);
      warnOfOwn(next);
      return next;
    },
    watch(target) {
      let isStopped = false;
      const next = async (): Promise<void> => {
        try {
          await look(target);
          failure = undefined;
        } catch (err) {
          if (failure === undefined && !isStopped)
            logger.warn({ err }, 'cannot read changes of the policy of the cluster');
          failure = err;
        }
      };
      const stop = repeat(next, { intervalMs });
      return () => {
        isStopped = true;
        stop();
      };
    },
    requireApplied(config) {
      if (refused !== undefined)
        throw lost(`it cannot apply the policy of the cluster, revision ${refused.revision}: ${refused.why}`);
      const missing = current?.sections == null ? [] : missingSecrets(current.sections, config);
      if (missing.length > 0)
        throw lost(
          `the policy of the cluster grants ${missing.join(', ')}, and secrets of this node's configuration has no such name`,
        );
      if (performance.now() - readAt > maxAgeMs)
        throw lost(
          `it could not read changes of the policy of the cluster for ${maxAgeMs / 1000} s${failure === undefined ? '' : ` (${thrownText(failure)})`}`,
          failure,
        );
    },
  };
}
