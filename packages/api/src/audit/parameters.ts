import { daemonEventKinds, entryPoints, type RecordFilter } from '@ambit/core/audit';
import { Tier } from '@ambit/core/execute';
import { outcomeFilters } from '@ambit/core/outcome';
import { z } from 'zod';
import { readTime, timeForms } from './time.ts';

const Name = z.string().min(1, 'must not be empty; leave it out instead').max(200, 'at most 200 characters');

/** A time in a form of `readTime`, which needs the clock: `30m` is an age. */
export const TimeText = z.string().refine((text) => readTime(text, 0) !== undefined, timeForms);

/** Kinds of events outside calls, separated by commas. */
export const KindsText = z
  .string()
  .max(1000)
  .transform((text, context) => {
    const names = text.split(',');
    const kinds = daemonEventKinds.filter((kind) => names.includes(kind));
    if (kinds.length === new Set(names).size) return kinds;
    context.addIssue({
      code: 'custom',
      message: `write kinds of events, separated by commas: ${daemonEventKinds.join(', ')}`,
    });
    return z.NEVER;
  });

/** The accepted forms of a time, for the reference. */
export const timeWords = 'ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`.';

/** Path parameters of routes about one execution. */
export const ExecutionParams = z.strictObject({
  executionId: z.string().max(200).describe('The id from the response to the call.'),
});

/** The filters of every route that returns records. */
export const filterParameters = {
  skill: Name.exactOptional().describe('Calls of this skill.'),
  actor: Name.exactOptional().describe('Calls with the key of this name.'),
  outcome: z
    .enum(outcomeFilters)
    .exactOptional()
    .describe('Calls with this outcome; `unsuccessful`: calls that ran and did not succeed.'),
  tier: Tier.exactOptional().describe('Calls of skills of this tier.'),
  via: z.enum(entryPoints).exactOptional().describe('Calls through this entry point.'),
  denied: Name.exactOptional().describe('Calls that were denied this capability: `network`.'),
  since: TimeText.exactOptional().describe(`Calls since then. ${timeWords}`),
  until: TimeText.exactOptional().describe(`Calls before that time. ${timeWords}`),
  text: Name.exactOptional().describe('Text in the stored input or output.'),
  executionId: Name.exactOptional().describe('The record of this execution.'),
  parentId: Name.exactOptional().describe('The links of this chain, or the calls of this batch.'),
  node: Name.exactOptional().describe('Calls at the node of this name, in a cluster.'),
} satisfies Record<keyof RecordFilter, z.ZodType>;
