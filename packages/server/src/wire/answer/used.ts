import type { UsedCapabilities } from '@ambit/core/internal';
import { z } from 'zod';

const Item = z
  .strictObject({
    item: z.string().describe('As a grant names it.'),
    count: z.number().describe('How often.'),
  })
  .meta({ id: 'UsedItem', description: 'An item that a run used.' });

const items = z.array(Item).readonly().nullable();

/** What a run used of its grant. */
export const AnsweredUsed = z
  .strictObject({
    filesystem: z.strictObject({
      read: items,
      write: items.describe(
        '`workspace` counts the path operations of a WASI command, or the files that a program changed.',
      ),
    }),
    network: items.describe('Hosts that it connected to, with the number of requests or tunnels.'),
    env: items,
    secrets: items.describe('Secrets whose value was inserted into a request, with the number of requests.'),
    exec: items.describe('The program that ran its entry.'),
    state: z.enum(['none', 'read', 'write']).nullable(),
    memory: z.enum(['none', 'read']).nullable(),
    functions: items.describe('Host functions that it called, regardless of the result.'),
    unlisted: z
      .array(
        z.strictObject({
          capability: z.enum(['filesystem.read', 'filesystem.write', 'network', 'env', 'secrets', 'exec']),
          uses: z.number().nullable().describe('The number of uses that are left out; `null` if unknown.'),
        }),
      )
      .readonly()
      .describe('Lists above that may be incomplete.'),
  })
  .meta({
    id: 'UsedCapabilities',
    description:
      'What a run used of its grant. An empty list means nothing was used; `null` means that it cannot be observed on this platform.',
  }) satisfies z.ZodType<UsedCapabilities>;
