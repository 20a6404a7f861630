import { z } from 'zod';
import type { ClusterEntry } from '../../store/operations/nodes.ts';

const EntryStatement = z.object({
  time: z.int().min(0).max(8.64e15),
  kind: z.string(),
  name: z.string().optional(),
  revision: z.int().optional(),
});

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

/** Reads an entry; `names` has the name of each node, by id. */
export function loggedEvent(
  { sequence, statement, node: signer }: ClusterEntry,
  names: ReadonlyMap<number, string>,
): LoggedEvent {
  const by = names.get(signer) ?? String(signer);
  const parsed = EntryStatement.safeParse(json(statement));
  if (!parsed.success) return { sequence, time: null, kind: null, node: null, revision: null, by };
  const { time, kind, name: node = null, revision = null } = parsed.data;
  return { sequence, time: new Date(time).toISOString(), kind, node, revision, by };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
