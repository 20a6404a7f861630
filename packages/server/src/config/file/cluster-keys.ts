import { z } from 'zod';
import { nodeAddress } from './node-address.ts';

const Address = z
  .string()
  .refine(
    (text) => nodeAddress(text) !== undefined,
    'write a host and a port, such as 10.0.0.5:7434 or [::1]:7434',
  );

/** The keys of `cluster` in a configuration file. */
export const ClusterKeys = z.strictObject({
  advertise: Address,
  listen: Address.optional(),
  leaseSeconds: z
    .number('write a number of seconds')
    .min(2, 'the minimum is 2')
    .max(300, 'the maximum is 300')
    .default(10),
  /** `shipped`: an answer waits until its audit record is in the database. */
  audit: z.enum(['local', 'shipped']).default('local'),
});

/** What makes a daemon a node of a cluster. */
export type ClusterSettings = z.output<typeof ClusterKeys>;
