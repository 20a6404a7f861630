import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import type { ClusterVerification } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import { noCapabilities } from '@ambit/core/policy';
import type { Environment } from '@ambit/runtime';
import { addNode } from '../cluster/enrolment/enrol.ts';
import {
  fingerprintOf,
  invitationText,
  newInvitation,
  readInvitation,
  secretDigest,
} from '../cluster/enrolment/invitation.ts';
import { requestEnrolment } from '../cluster/enrolment/request-enrolment.ts';
import { newAuthority, newPrivateKey, publicKeyOf } from '../cluster/identity/authority.ts';
import { type NodeFiles, type NodeIdentity, nodeFiles } from '../cluster/identity/node-files.ts';
import { retireNode } from '../cluster/membership/cluster-statement.ts';
import { type LoggedEvent, loggedEvent } from '../cluster/membership/logged-event.ts';
import { requireNotRetired } from '../cluster/membership/require-not-retired.ts';
import { type ListedNode, listedNode } from '../cluster/node-status.ts';
import { changePolicy, readPolicy, UnusablePolicyError } from '../cluster/policy/stored-policy.ts';
import {
  missingSecrets,
  type PolicyChange,
  type PublishedPolicy,
  policyChanges,
  policySections,
} from '../config/cluster-policy.ts';
import type { ClusterPolicyRevision, Config, PolicySections } from '../config/config.ts';
import type { ClusterSettings } from '../config/file/cluster-keys.ts';
import { Refusal } from '../errors/refusal.ts';
import { lockOrTakeOver } from '../on-demand/take-over.ts';
import { prepareDataDir } from '../setup/data-dir.ts';
import { userName } from '../setup/user-name.ts';
import type { CertifiedNode } from '../store/operations/nodes.ts';
import { postgresSettings } from '../store/postgres/configured-postgres.ts';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import type { Store } from '../store/store.ts';
import { verifyClusterLogs } from './verify-cluster-logs.ts';

/** The nodes of a cluster, for the command line. Every method rejects with a `Refusal` or `STORE_UNAVAILABLE`. */
export interface ClusterActions {
  /** Creates a cluster in the database, with this data directory as its first node. */
  init(config: Config, name: string): Promise<JoinedNode>;
  /** An invitation for one node of that name, which expires after `validMs`. */
  invite(config: Config, name: string, validMs: number): Promise<{ invitation: string; expiresAt: string }>;
  /** Makes this data directory the node that an invitation is for. */
  join(config: Config, invitation: string): Promise<JoinedNode>;
  nodes(config: Config): Promise<readonly ListedNode[]>;
  /** Reads the events of the nodes and the policy, oldest first. */
  log(config: Config): Promise<readonly LoggedEvent[]>;
  /** Verifies the audit logs of all nodes. Rejects with `AUDIT_UNAVAILABLE` too. */
  verify(config: Config, options: VerifyClusterRequest): Promise<ClusterVerification>;
  /** Lets a node take no more calls, or takes that back. */
  drain(config: Config, name: string, undo: boolean): Promise<void>;
  /** Ends a node for ever. */
  retire(config: Config, name: string): Promise<void>;
  /** The published policy; `undefined` if there never was one. */
  policy(config: Config): Promise<PublishedPolicy | undefined>;
  /**
   * Publishes the policy in this node's own file, or only compares it. Resolves to what it changes, and to its revision;
   * `null`: nothing was published, because `isDry` is true or it is the same.
   */
  publishPolicy(config: Config, isDry: boolean): Promise<PolicyPublication>;
  /** Lets each node use its own file again. Resolves to the revision. */
  withdrawPolicy(config: Config): Promise<number>;
}

interface PolicyPublication {
  revision: number | null;
  changes: readonly PolicyChange[];
}

interface VerifyClusterRequest {
  onProgress(verified: number, of: number): void;
  signal: AbortSignal;
}

interface JoinedNode {
  cluster: string;
  id: number;
  name: string;
}

/** The nodes of the cluster whose database a configuration names. */
export function clusterActions(environment: Environment): ClusterActions {
  const withStore = async <Result>(
    config: Config,
    use: (store: Store) => Promise<Result>,
  ): Promise<Result> => {
    const settings = postgresSettings(config, environment);
    if (settings === null) throw noDatabase();
    const store = openPostgresStore(settings, { use: 'beside' });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  };
  return {
    async init(config, name) {
      const { advertise } = clusterOf(config);
      return withNewNode(config, (files) =>
        withStore(config, async (store) => {
          // Before the database knows it: without its key, no other node could join.
          const authority = files.readAuthority() ?? (await newAuthority());
          await requireNoOther(store, authority.certificate);
          await files.writeAuthority(authority);
          const key = files.readKey() ?? newPrivateKey();
          await files.writeKey(key);
          const { cluster, node } = await createCluster(store, authority.certificate, key);
          const newNode = { name, advertise, publicKey: publicKeyOf(key) };
          const enrolled =
            node ?? (await addNode({ store, identity: { cluster, key }, authority }, newNode, null));
          return {
            cluster,
            id: enrolled.id,
            name: enrolled.name,
            certificate: enrolled.certificate,
            key,
            authority: authority.certificate,
            instance: null,
            nextInstance: null,
          };
        }),
      );
    },
    async invite(config, name, validMs) {
      const { advertise } = clusterOf(config);
      const authority = nodeFiles(config.dataDir).readAuthority();
      if (authority === undefined)
        throw new Refusal(
          'CLUSTER_INVALID',
          'this data directory has no key of the authority (cluster/authority.key); invite at the node where "ambit cluster init" ran, or copy cluster/authority.key here and restart the daemon',
        );
      return withStore(config, async (store) => {
        await requireNotRetired(store, config.dataDir);
        const { isTaken } = await store.run('nextNode', name);
        if (isTaken)
          throw new Refusal('CLUSTER_INVALID', `the cluster has or had a node ${name}; choose another name`);
        const invitation = newInvitation(advertise, authority.certificate);
        await store.run('invite', secretDigest(invitation.secret), name, validMs);
        return {
          invitation: invitationText(invitation),
          expiresAt: new Date(Date.now() + validMs).toISOString(),
        };
      });
    },
    async join(config, text) {
      const invitation = readInvitation(text);
      const { advertise } = clusterOf(config);
      return withNewNode(config, () =>
        withStore(config, async (store) => {
          const known = await store.run('findCluster');
          // Before the invitation is used up.
          if (known === undefined || fingerprintOf(known.authority) !== invitation.authority)
            throw new Refusal(
              'CLUSTER_INVALID',
              'the database of store.postgres is not the one of the cluster; name the same database as on the other nodes',
            );
          return requestEnrolment(invitation, advertise);
        }),
      );
    },
    verify: (config, options) => verifyClusterLogs(config, environment, options),
    nodes: (config) =>
      withStore(config, async (store) => {
        const nodes = await store.run('listNodes');
        return nodes.map((node) => listedNode(node, nodes));
      }),
    log: (config) =>
      withStore(config, async (store) => {
        const names = new Map((await store.run('listNodes')).map(({ id, name }) => [id, name]));
        return (await store.run('listClusterLog')).map((entry) => loggedEvent(entry, names));
      }),
    drain: (config, name, undo) =>
      withStore(config, async (store) => {
        await requireNotRetired(store, config.dataDir);
        if (!(await store.run('drainNode', name, undo ? 'active' : 'draining'))) throw noSuchNode(name);
      }),
    policy: (config) =>
      withStore(config, async (store) => {
        try {
          return await readPolicy(store, identityOf(config));
        } catch (error) {
          if (error instanceof UnusablePolicyError)
            throw new Refusal('CLUSTER_INVALID', `the policy cannot be used: ${error.message}`, {
              cause: error,
            });
          throw error;
        }
      }),
    publishPolicy: (config, isDry) =>
      withStore(config, async (store) => {
        const identity = identityOf(config);
        const sections = ownPolicy(config);
        const { revision, sections: before } = await lastPolicy(store, identity);
        const changes = policyChanges(before ?? emptyPolicy, sections);
        const known = config.clusterPolicy?.revision ?? 0;
        const isInForce = before !== null && changes.length === 0 && revision >= known;
        if (isDry || isInForce) return { revision: null, changes };
        return {
          revision: await changePolicy(store, identity, { revision, known, sections, actor: userName() }),
          changes,
        };
      }),
    withdrawPolicy: (config) =>
      withStore(config, async (store) => {
        const identity = identityOf(config);
        const { revision, sections } = await lastPolicy(store, identity);
        if (sections === null)
          throw new Refusal('CLUSTER_INVALID', 'no policy is published: each node uses its own file already');
        const known = config.clusterPolicy?.revision ?? 0;
        return changePolicy(store, identity, { revision, known, sections: null, actor: userName() });
      }),
    retire: (config, name) =>
      withStore(config, async (store) => {
        const own = identityOf(config);
        const node = (await store.run('listNodes')).find((each) => each.name === name);
        if (node === undefined) throw noSuchNode(name);
        await retireNode(store, own, node);
      }),
  };
}

/** The policy in the file of this node. Throws `CLUSTER_INVALID` if this node itself could not apply it. */
function ownPolicy(config: Config): PolicySections {
  const sections = config.clusterPolicy?.own ?? policySections(config);
  const trusted = Object.entries(sections.grants).flatMap(([id, { host }]) => (host === true ? [id] : []));
  if (trusted.length > 0)
    throw new Refusal(
      'CLUSTER_INVALID',
      `grants.${trusted.join(', grants.')}.host: a cluster cannot grant the rights of a user of each machine; remove host, and publish again`,
    );
  const missing = missingSecrets(sections, config);
  if (missing.length === 0) return sections;
  throw new Refusal(
    'CLUSTER_INVALID',
    `the policy grants ${missing.join(', ')}, and secrets of the configuration has no such name; add its source there, on every node`,
  );
}

/** The last revision; without sections, if it cannot be used: a new one replaces it. */
async function lastPolicy(store: Store, identity: NodeIdentity): Promise<ClusterPolicyRevision> {
  try {
    return (await readPolicy(store, identity)) ?? { revision: 0, sections: null };
  } catch (error) {
    if (error instanceof UnusablePolicyError) return { revision: error.revision, sections: null };
    throw error;
  }
}

const emptyPolicy: PolicySections = {
  grants: {},
  deny: noCapabilities,
  limits: {},
  tiers: {},
  mcp: { untrustedTools: false },
};

/** Rejects if the database has a cluster of another authority, before this node writes its own files. */
async function requireNoOther(store: Store, authority: string): Promise<void> {
  const known = await store.run('findCluster');
  if (known !== undefined && known.authority !== authority) throw hasCluster();
}

/**
 * Creates the cluster of a database, or continues a creation that was cut off. Resolves to its id, and to its first node if the
 * database has that one, with this key.
 */
async function createCluster(
  store: Store,
  authority: string,
  key: string,
): Promise<{ cluster: string; node?: CertifiedNode }> {
  const id = randomUUID();
  if (await store.run('createCluster', { id, authority })) return { cluster: id };
  const known = await store.run('findCluster');
  const node = await store.run('findNode', 1);
  if (known?.authority !== authority) throw hasCluster();
  if (node === undefined) return { cluster: known.id };
  if (new X509Certificate(node.certificate).checkPrivateKey(createPrivateKey(key)))
    return { cluster: known.id, node };
  throw hasCluster();
}

function hasCluster(): Refusal {
  return new Refusal(
    'CLUSTER_INVALID',
    'the database has a cluster already; join it with "ambit cluster join", or name another database in store.postgres',
  );
}

/** Writes the identity that `make` resolves to into a data directory that has none and that no daemon uses. */
async function withNewNode(
  config: Config,
  make: (files: NodeFiles) => Promise<NodeIdentity>,
): Promise<JoinedNode> {
  await prepareDataDir(config);
  const files = nodeFiles(config.dataDir);
  const known = files.read();
  if (known !== undefined)
    throw new Refusal(
      'CLUSTER_INVALID',
      `${config.dataDir} is the node ${known.name} of a cluster already; name another data directory with --data-dir`,
    );
  const lock = await lockOrTakeOver(config.dataDir);
  try {
    const identity = await make(files);
    await files.write(identity);
    const { cluster, id, name } = identity;
    return { cluster, id, name };
  } finally {
    await lock.release();
  }
}

function clusterOf({ cluster }: Config): ClusterSettings {
  if (cluster !== null) return cluster;
  throw new UsageError(
    'the configuration has no cluster; add cluster: { advertise: HOST:PORT }, where other nodes reach this one',
  );
}

function noDatabase(): UsageError {
  return new UsageError(
    'the nodes of a cluster share a database of PostgreSQL; add store: { postgres: { url } } to the configuration',
  );
}

function noSuchNode(name: string): Refusal {
  return new Refusal(
    'CLUSTER_INVALID',
    `the cluster has no node ${name}, or it is retired; "ambit cluster nodes" lists them`,
  );
}

/** Changes of the list of nodes and of the policy are signed by a node. */
function identityOf({ dataDir }: Pick<Config, 'dataDir'>): NodeIdentity {
  const identity = nodeFiles(dataDir).read();
  if (identity !== undefined) return identity;
  throw new Refusal(
    'NODE_UNUSABLE',
    `${dataDir} is not a node of a cluster; run "ambit cluster init" for the first node, or "ambit cluster join" with an invitation`,
  );
}
