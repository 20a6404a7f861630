import type { NodeEvents, NodePosition } from '@ambit/core/audit';
import { type Statement, sql } from '../../../store/statement.ts';
import { eventIn } from '../next-records.ts';

/** An event of a node. */
export interface NodeEventRow extends Record<string, unknown> {
  node: number;
  /** JSON. */
  name: string;
  sequence: number;
  /** Hex. */
  hash: string;
  body: string;
}

/** The next shipped events of each node after a position, at most `limit` of each, by node and sequence. */
export function eventsAfter(after: NodePosition, limit: number): Statement {
  return sql`SELECT logs.node, logs.name, events.sequence, encode(events.hash, 'hex') AS hash, events.body
    FROM ambit.audit_logs AS logs
    LEFT JOIN json_each_text(${JSON.stringify(after)}) AS given ON given.key = CAST(logs.node AS TEXT)
    CROSS JOIN LATERAL (
      SELECT sequence, hash, body FROM ambit.audit_events
      WHERE node = logs.node AND sequence > coalesce(CAST(given.value AS BIGINT), 0)
      ORDER BY sequence LIMIT ${limit}) AS events
    ORDER BY logs.node, events.sequence`;
}

/** At most `limit` of the events, each node's in the order of its log. */
export function inOrderOfTime(rows: readonly NodeEventRow[], after: NodePosition, limit: number): NodeEvents {
  const timed = rows.map((row) => ({ ...row, event: eventIn(row.body) }));
  const queues = [...Map.groupBy(timed, ({ node }) => node).values()];
  const events: NodeEvents['events'][number][] = [];
  let position = after;
  for (let taken = 0; taken < Math.min(limit, rows.length); taken += 1) {
    let first: (typeof timed)[number][] | undefined;
    for (const queue of queues)
      if (queue[0] !== undefined && (first?.[0] === undefined || timeOf(queue[0]) < timeOf(first[0])))
        first = queue;
    const next = first?.shift();
    if (next === undefined) break;
    const { node, name, sequence, hash, event } = next;
    position = { ...position, [node]: sequence };
    // Verification reports an event that cannot be read.
    if (event !== undefined)
      events.push({ node: JSON.parse(name) as string, position, sequence, hash: `sha256:${hash}`, event });
  }
  return { events, position };
}

function timeOf({ event }: { event: { time: number } | undefined }): number {
  return event?.time ?? 0;
}
