import { Capabilities, Tier } from '@ambit/core/execute';
import { type Denial, type RecordedLimits, RequestedLimits } from '@ambit/core/internal';
import { z } from 'zod';

export const AnsweredCapabilities = Capabilities.meta({
  id: 'Capabilities',
  description: 'What a call may access, or requests. An empty list grants nothing.',
});

export const AnsweredTier = Tier.meta({
  id: 'Tier',
  description: 'How far the operator trusts the source of a skill.',
});

/** A capability that a call requested or tried to use and does not get. */
export const AnsweredDenial = z
  .strictObject({
    capability: z
      .enum([
        'filesystem.read',
        'filesystem.write',
        'network',
        'env',
        'secrets',
        'exec',
        'state',
        'memory',
        'run',
      ])
      .describe('`run` is the permission to run as a program of the host.'),
    requested: z.string().describe('The requested item: a path, a host, a name.'),
    reason: z.string().describe('The rule that denied it.'),
    remedy: z.string().describe('The line of configuration that grants it, or what else to do.'),
  })
  .meta({
    id: 'Denial',
    description: 'A capability that a call requested or tried to use and does not get.',
  }) satisfies z.ZodType<Denial>;

export const AnsweredWishes = RequestedLimits.meta({
  id: 'RequestedLimits',
  description: 'Upper bounds that a skill requests. An absent one is the limit of its tier.',
});

/** The limits that applied to a call. */
export const AnsweredLimits = z
  .strictObject({
    timeoutMs: z.number().describe('Wall-clock time.'),
    memoryBytes: z.number(),
    cpuMs: z.number(),
    processes: z.number(),
    fileBytes: z
      .number()
      .exactOptional()
      .describe(
        'Maximum size of each file that the call writes. Absent in records made before this limit existed.',
      ),
    outputBytes: z.number().describe('For the output and for the log separately.'),
    fuel: z.number().nullable().describe('Weighted WebAssembly instructions; `null`: unlimited.'),
  })
  .meta({
    id: 'Limits',
    description: 'The limits that applied to a call.',
  }) satisfies z.ZodType<RecordedLimits>;
