import type { AuditEvent } from './audit-event.ts';
import type { Inclusion } from './signed-statements.ts';
import type { Verification } from './verification.ts';

/** Reasons why a cluster's logs are not intact. Stable: monitoring may act on them. */
const clusterFindingReasons = [
  /** A node's log in the database is not intact: see the reason of its verification. */
  'log',
  /** Two logs of one node exist: a data directory was copied, or a log restored from an older backup. */
  'forked',
  /** The log on this machine differs from the sent one. */
  'unlike-local',
  /** No key of a node vouches for a log, or for an entry about nodes. */
  'unsigned-log',
  /** Entries about nodes were changed or removed. */
  'cluster-log',
  /** A node's log ends, and nothing records that it stopped, retired or was lost. */
  'silent',
  /** The tree was rewritten, or does not have what it should. */
  'tree',
  /** A head of the tree is not signed by a node. */
  'tree-forged',
] as const;

/** Something wrong with the logs of a cluster. */
export interface ClusterFinding {
  reason: (typeof clusterFindingReasons)[number];
  /** The node concerned; `null`: the cluster. */
  node: number | null;
  /** The first event concerned, in the log of the node. */
  sequence: number | null;
  message: string;
}

/** The state of a node, as the end of its log shows it. */
export type NodeEnd = 'running' | 'stopped' | 'retired' | 'lost' | 'silent';

/** The log of a node, as verified. */
export interface VerifiedNode {
  node: number;
  name: string;
  end: NodeEnd;
  /** The verification of its log in the database. */
  log: Verification;
  /** The last sent event, and the last event that a checkpoint in the tree covers. Of a lost node, later events may be lost. */
  sentThrough: number;
  provenThrough: number;
}

/** The result of verifying the logs of all nodes. `intact`: there are no findings. */
export interface ClusterVerification {
  intact: boolean;
  findings: readonly ClusterFinding[];
  nodes: readonly VerifiedNode[];
  tree: { origin: string; size: number; heads: number };
  /** The log on this machine, if it was compared: its last event that the database has too. */
  localThrough: number | null;
}

/** The tree over the checkpoints of all nodes. Everything rejects with `AUDIT_UNAVAILABLE`. */
export interface ClusterTree {
  /** The last signed head, as a note; `undefined` for an empty tree. */
  head(): Promise<string | undefined>;
  /** Returns the file at a path below `tile/`, given with `tile/`; `undefined` if the tree does not have it. */
  file(path: string): Promise<Uint8Array | undefined>;
  /** Proof that the tree has the checkpoint of this node that covers an event; `undefined` until it has. */
  inclusion(sequence: number): Promise<Inclusion | undefined>;
}

/** For each node, by its number, the last event that was read. */
export type NodePosition = Readonly<Record<string, number>>;

/** Events of the logs of several nodes, and the position after them. */
export interface NodeEvents {
  events: readonly {
    node: string;
    position: NodePosition;
    sequence: number;
    hash: string;
    event: AuditEvent;
  }[];
  position: NodePosition;
}

/** Reads the next events of all nodes of a cluster. Without `after`, none but where they end. Rejects with `AUDIT_UNAVAILABLE`. */
export type ReadNodeEvents = (after: NodePosition | null, limit: number) => Promise<NodeEvents>;
