import { hash, X509Certificate } from 'node:crypto';
import { canonicalJson } from '@ambit/core/json';
import { certifiedKey, hasSigned } from '../../audit/tree/tree-key.ts';
import { type PublishedPolicy, sectionsIn } from '../../config/cluster-policy.ts';
import type { PolicySections } from '../../config/config.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { StoredPolicy } from '../../store/operations/policy.ts';
import type { Store } from '../../store/store.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { recordChange } from '../membership/cluster-statement.ts';

/** The policy in the database cannot be used. The message says why. */
export class UnusablePolicyError extends Error {
  override readonly name = 'UnusablePolicyError';
  readonly revision: number;

  constructor(revision: number, message: string) {
    super(message);
    this.revision = revision;
  }
}

/** The policy of the cluster; `undefined` before the first. Rejects as `verifiedPolicy` throws, and with `STORE_UNAVAILABLE`. */
export async function readPolicy(
  store: Pick<Store, 'run'>,
  identity: Pick<NodeIdentity, 'cluster' | 'authority'>,
): Promise<PublishedPolicy | undefined> {
  const stored = await store.run('readPolicy');
  return stored && verifiedPolicy(stored, identity);
}

/**
 * The policy in a row of the database, or in a copy of it. A node trusts what the log of the cluster names, signed by a node that
 * was not retired before. Throws an `UnusablePolicyError`.
 */
export function verifiedPolicy(
  stored: StoredPolicy,
  identity: Pick<NodeIdentity, 'cluster' | 'authority'>,
): PublishedPolicy {
  const { revision, content, actor, changedAt } = stored;
  if (revision === null || content === null)
    throw new UnusablePolicyError(
      0,
      'the log of the cluster names a policy, and the database does not have it; restore the table documents, or publish it again',
    );
  const flaw = flawIn(stored, identity);
  if (flaw !== undefined)
    throw new UnusablePolicyError(
      revision,
      `${flaw}; run "ambit cluster verify", and publish the policy again`,
    );
  try {
    const sections = sectionsIn(JSON.parse(content));
    const changed = new Date(changedAt ?? 0).toISOString();
    return { revision, sections, actor: String(JSON.parse(actor ?? 'null')), changedAt: changed };
  } catch (error) {
    throw new UnusablePolicyError(
      revision,
      `this version of Ambit cannot use it (${(error as Error).message}); run the same version on all nodes, and publish the policy again`,
    );
  }
}

/** The content of a node's signature of a policy change. */
interface SignedChange {
  kind: string;
  cluster: string;
  /** Its place in the cluster's log, and its node. */
  sequence: number;
  by: number;
  revision: number;
  digest: string;
}

/** Returns why a policy is not what a node of the cluster has signed; `undefined`: it is. */
function flawIn(
  { revision, content, sequence, statement, signature, signer, certificate, isRetired }: StoredPolicy,
  { cluster, authority }: Pick<NodeIdentity, 'cluster' | 'authority'>,
): string | undefined {
  if (statement === null || signature === null || signer === null)
    return 'the log of the cluster does not name it';
  const key =
    certificate === null ? undefined : certifiedKey(certificate, signer, new X509Certificate(authority));
  if (key === undefined || !hasSigned(key, statement, signature)) return `node ${signer} has not signed it`;
  if (isRetired === 1) return `node ${signer}, which signed it, had been retired`;
  const change = JSON.parse(statement) as SignedChange;
  // A copy of an old entry would bring back what it granted.
  if (change.kind !== 'policy.changed' || change.sequence !== sequence || change.by !== signer)
    return 'its entry in the log of the cluster repeats an earlier one';
  if (change.cluster !== cluster || change.revision !== revision || change.digest !== digestOf(content ?? ''))
    return 'the log of the cluster names another policy';
  return undefined;
}

/**
 * Writes the revision after `revision`, and after `known`, which this node has: the database may be an older one. It is signed by
 * this node; `null` withdraws the policy. Resolves to its number. Rejects with `CLUSTER_INVALID` if it was changed meanwhile.
 */
export async function changePolicy(
  store: Pick<Store, 'run'>,
  identity: NodeIdentity,
  {
    revision,
    known,
    sections,
    actor,
  }: { revision: number; known: number; sections: PolicySections | null; actor: string },
): Promise<number> {
  const content = canonicalJson(sections);
  const next = Math.max(revision, known) + 1;
  const event = { kind: 'policy.changed' as const, revision: next, digest: digestOf(content) };
  const answer = await recordChange(
    store,
    identity,
    () => event,
    (entry) => store.run('changePolicy', revision, next, { content, actor, node: identity.id }, entry),
  );
  if (answer === 'written') return next;
  throw new Refusal(
    'CLUSTER_INVALID',
    'the policy of the cluster was changed meanwhile; look at it with "ambit cluster policy show", and try again',
  );
}

function digestOf(content: string): string {
  return hash('sha256', content);
}
