import { z } from 'zod';
import { nodeAddress } from './node-address.ts';

const Address = z
  .string()
  .refine(
    (text) => nodeAddress(text) !== undefined,
    'write a host and a port, such as 10.0.0.5:7434 or [::1]:7434',
  );

/** The keys of `cluster`. */
export const ClusterKeys = z.strictObject({
  advertise: Address.describe(
    '`HOST:PORT` at which other nodes reach this one; makes the daemon a node of the [cluster](cluster.md) in the database of `store.postgres`',
  ),
  listen: Address.optional().meta({
    description: '`HOST:PORT` to listen on for other nodes',
    absent: '`cluster.advertise`',
  }),
  leaseSeconds: z
    .number('write a number of seconds')
    .min(2, 'the minimum is 2')
    .max(300, 'the maximum is 300')
    .default(10)
    .describe('2 to 300: how long a node may be without its database before its running calls end'),
  audit: z
    .enum(['local', 'shipped'])
    .default('local')
    .describe(
      '`shipped`: an answer waits until its audit record is in the [database](audit.md#the-logs-of-a-cluster)',
    ),
});

/** The settings that make a daemon a node of a cluster. */
export type ClusterSettings = z.output<typeof ClusterKeys>;
