import type { ClusterNode } from '@ambit/api';
import type { ClusterVerification } from '@ambit/core/audit';
import type { PolicyChange, PublishedPolicy } from '../../config/cluster-policy.ts';
import type { Config } from '../../config/config.ts';

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

export interface JoinedNode {
  cluster: string;
  id: number;
  name: string;
}

/** An entry of the cluster's log, as it says. Its signature is not checked. */
export interface LoggedEvent {
  sequence: number;
  /** ISO 8601, by the clock of the database; `null` if the entry cannot be read. */
  time: string | null;
  /** Such as `node.joined`; `null` if the entry cannot be read. */
  kind: string | null;
  /** The node that it is about; `null` for the policy. */
  node: string | null;
  /** The revision of the policy; `null` for a node. */
  revision: number | null;
  /** The node that signed it. */
  by: string;
}

/** A node in a list. */
export type ListedNode = Omit<ClusterNode, 'leaseUntil' | 'load'>;
