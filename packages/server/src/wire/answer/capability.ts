import { Capabilities, Tier } from '@ambit/core/execute';
import { type Denial, type RecordedLimits, RequestedLimits } from '@ambit/core/internal';
import { z } from 'zod';

export const AnsweredCapabilities = Capabilities.meta({
  id: 'Capabilities',
  description: 'What a call may touch, or asks to; an empty list is nothing.',
});

export const AnsweredTier = Tier.meta({ id: 'Tier', description: "How far a skill's source is trusted." });

/** One capability that a call asked for and does not get. */
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
      .describe('`run` is the right to run as a program of the host at all.'),
    requested: z.string().describe('The item as it was requested: a path, a host, a name.'),
    reason: z.string().describe('Which rule refused it.'),
    remedy: z.string().describe('The line of configuration that would grant it, or what else to do.'),
  })
  .meta({
    id: 'Denial',
    description: 'Something that a call asked for or reached for, and was not given.',
  }) satisfies z.ZodType<Denial>;

export const AnsweredWishes = RequestedLimits.meta({
  id: 'RequestedLimits',
  description: "Upper bounds that a skill asks for; one that is absent is its tier's.",
});

/** The bounds that held for a call. */
export const AnsweredLimits = z
  .strictObject({
    timeoutMs: z.number().describe('Wall time.'),
    memoryBytes: z.number(),
    cpuMs: z.number(),
    processes: z.number(),
    fileBytes: z
      .number()
      .exactOptional()
      .describe(
        'Maximum size of each file the call writes. Absent in records made before this limit existed.',
      ),
    outputBytes: z.number().describe('For the output and for the log, each.'),
    fuel: z.number().nullable().describe('WebAssembly instructions, weighted; `null`: unlimited.'),
  })
  .meta({
    id: 'Limits',
    description: 'The bounds that held for a call.',
  }) satisfies z.ZodType<RecordedLimits>;
