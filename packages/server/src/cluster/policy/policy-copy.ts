import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { thrownText } from '@ambit/core/outcome';
import { writeDurably } from '@ambit/runtime';
import { z } from 'zod';
import type { ClusterPolicyRevision } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { StoredPolicy } from '../../store/operations/policy.ts';
import { nodeFiles } from '../identity/node-files.ts';
import { verifiedPolicy } from './stored-policy.ts';

const Copy = z.strictObject({
  revision: z.int().min(1),
  content: z.string(),
  actor: z.string(),
  changedAt: z.int(),
  sequence: z.int(),
  statement: z.string(),
  signature: z.string(),
  signer: z.int(),
  certificate: z.string(),
});

/** Writes the copy of the policy in the data directory of a node, with its signature, for commands and for starts. */
export async function writePolicyCopy(
  dataDir: string,
  { isRetired: _, ...copied }: StoredPolicy,
): Promise<void> {
  await writeDurably(fileIn(dataDir), JSON.stringify(copied));
}

/** The last revision that a node has applied, verified as the node does; `undefined`: none. Throws a `ConfigError`. */
export function readPolicyCopy(dataDir: string): ClusterPolicyRevision | undefined {
  const path = fileIn(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError([`${path}: cannot be read: ${(error as Error).message}`]);
  }
  try {
    const identity = nodeFiles(dataDir).read();
    if (identity === undefined) throw new Error('this data directory is not a node of a cluster');
    const { revision, sections } = verifiedPolicy(
      { ...Copy.parse(JSON.parse(text)), isRetired: 0 },
      identity,
    );
    return { revision, sections };
  } catch (error) {
    throw new ConfigError([
      `${path}: cannot use this copy of the policy of the cluster: ${thrownText(error)}. If its file was changed, remove it and start the daemon again, which writes it anew`,
    ]);
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'cluster', 'policy.json');
}
