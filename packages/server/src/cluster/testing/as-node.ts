import { nodeFiles } from '../identity/node-files.ts';
import { type PeerClient, peerClient } from '../peers/peer-client.ts';

/** Connects to other nodes as the node of a data directory, like a program that has taken it over. */
export function asNode(dataDir: string): PeerClient {
  const identity = nodeFiles(dataDir).read();
  if (identity === undefined) throw new Error(`${dataDir} is no node`);
  return peerClient(identity);
}
