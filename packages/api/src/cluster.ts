import { z } from 'zod';

export const nodeStatuses = ['running', 'draining', 'stopped', 'lost', 'retired'] as const;

const ClusterNode = z
  .strictObject({
    id: z.number(),
    name: z.string(),
    status: z
      .enum(nodeStatuses)
      .describe(
        '`running` and `draining` have a lease; `lost` has let it end; `stopped` has none, which a lost node soon becomes.',
      ),
    advertise: z.string().describe('HOST:PORT, where other nodes reach it.'),
    version: z.string().describe('Of Ambit; empty before its first start.'),
    epoch: z.number().describe('Grows with each start, and whenever its lease has ended.'),
    cannotReach: z
      .array(z.string())
      .readonly()
      .describe(
        'The nodes with a lease whose port it could not reach at its last look. Requests about their calls fail at this node.',
      ),
    joinedAt: z.string().describe('ISO 8601.'),
    leaseUntil: z
      .string()
      .nullable()
      .describe("ISO 8601, by the database's clock; `null` without a lease. A running node renews it."),
    load: z
      .strictObject({
        running: z.number().describe('Calls that run.'),
        waiting: z.number().describe('Calls in the queue.'),
        unshippedEvents: z.number().describe('Events of its log that the database does not have yet.'),
        shippingLagMs: z.number().describe('The age of the oldest of them; 0 without any.'),
      })
      .nullable()
      .describe('`null`: it has no lease, or did not answer within a second.'),
  })
  .meta({ id: 'ClusterNode', description: 'A node of a cluster.' });
export type ClusterNode = z.output<typeof ClusterNode>;

/** The nodes of a cluster, as one of them sees them. */
export const ClusterNodes = z
  .strictObject({
    node: z.string().nullable().describe('The node that answers; `null`: this daemon is in no cluster.'),
    nodes: z.array(ClusterNode).readonly().describe('In the order in which they joined.'),
  })
  .meta({ id: 'ClusterNodes', description: 'The nodes of a cluster; none without one.' });
