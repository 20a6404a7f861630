import { z } from 'zod';
import type { LoggedEvent } from '../../cli/ports/cluster-actions.ts';
import type { ClusterEntry } from '../../store/operations/nodes.ts';

const EntryStatement = z.object({
  time: z.int().min(0).max(8.64e15),
  kind: z.string(),
  name: z.string().optional(),
  revision: z.int().optional(),
});

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
