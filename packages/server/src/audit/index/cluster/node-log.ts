/** A log as one of a cluster: whose it is. */
export interface NodeLog {
  /** The number of the node, which no other node of the cluster ever has. */
  node: number;
  /** The name of the node. */
  name: string;
}
