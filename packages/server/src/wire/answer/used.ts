import type { UsedCapabilities } from '@ambit/core/internal';
import { z } from 'zod';

const Item = z
  .strictObject({
    item: z.string().describe('As a grant names it.'),
    count: z.number().describe('How often.'),
  })
  .meta({ id: 'UsedItem', description: 'One thing that a run used.' });

const items = z.array(Item).readonly().nullable();

/** What a run used of what it was granted. */
export const AnsweredUsed = z
  .strictObject({
    filesystem: z.strictObject({
      read: items,
      write: items.describe(
        '`workspace` counts what a WASI command did with its paths, or the files that a program left different.',
      ),
    }),
    network: items.describe('Hosts that it connected to, with the number of requests or tunnels.'),
    env: items,
    secrets: items.describe('Secrets whose value was put into a request, with the number of requests.'),
    exec: items.describe('The program that ran its entry.'),
    state: z.enum(['none', 'read', 'write']).nullable(),
    memory: z.enum(['none', 'read']).nullable(),
    functions: items.describe('Host functions that it called, whatever they answered.'),
    unlisted: z
      .array(
        z.strictObject({
          capability: z.enum(['filesystem.read', 'filesystem.write', 'network', 'env', 'secrets', 'exec']),
          uses: z.number().nullable().describe('How many uses are left out; `null` where nobody can tell.'),
        }),
      )
      .readonly()
      .describe('Lists above that may leave something out.'),
  })
  .meta({
    id: 'UsedCapabilities',
    description:
      'What a run used of what it was granted. An empty list means none of it; `null` means that the platform cannot tell.',
  }) satisfies z.ZodType<UsedCapabilities>;
