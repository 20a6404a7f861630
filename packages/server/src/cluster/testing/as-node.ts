import { nodeFiles } from '../identity/node-files.ts';
import { type PeerClient, peerClient } from '../peers/peer-client.ts';

/** Connects to the node of the data directory `of` as the node of `dataDir`, like a program that has taken that over. */
export function asNode(dataDir: string, of: string): PeerClient {
  const identity = nodeFiles(dataDir).read();
  if (identity === undefined) throw new Error(`${dataDir} is no node`);
  return peerClient(identity, async () => nodeFiles(of).read()?.certificate);
}
