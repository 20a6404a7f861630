import { Tier } from '@ambit/core/execute';
import { entryPoints, type RecordFilter, recordOutcomes } from '@ambit/core/internal';
import { z } from 'zod';
import { readTime, timeForms } from '../../../wire/audit-time.ts';
import { wholeNumber } from '../../route/whole-number.ts';

/** A whole number from 1 to `to`, as a query has it; `tooMany` says what the limit is. */
export function count(to: number = Number.MAX_SAFE_INTEGER, tooMany?: string) {
  const form = 'write a whole number from 1';
  return wholeNumber({ from: 1, to }, { form, range: tooMany ?? form });
}

const Name = z.string().min(1, 'write something, or leave it out').max(200, 'at most 200 characters');

/** A time as `readTime` understands it, in milliseconds since the epoch. */
export function timeParameter(now: () => number) {
  return z.string().transform((text, context) => {
    const time = readTime(text, now());
    if (time !== undefined) return time;
    context.addIssue({ code: 'custom', message: timeForms });
    return z.NEVER;
  });
}

/** The forms of a time, for those who read what a parameter is. */
export const timeWords = 'ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`.';

/** The path of whatever is about one execution. */
export const ExecutionParams = z.strictObject({
  executionId: z.string().max(200).describe('As the answer to a call has it.'),
});

/** What chooses records, in every route that shows some. */
export function filterParameters(now: () => number) {
  return {
    skill: Name.exactOptional().describe('Calls of this skill.'),
    actor: Name.exactOptional().describe('Calls with this key, by its name.'),
    outcome: z.enum(recordOutcomes).exactOptional().describe('How they ended.'),
    tier: Tier.exactOptional().describe('Calls of skills of this tier.'),
    via: z.enum(entryPoints).exactOptional().describe('Only calls from this entry point.'),
    denied: Name.exactOptional().describe('A capability of which something was denied: `network`.'),
    since: timeParameter(now).exactOptional().describe(`Calls from then on. ${timeWords}`),
    until: timeParameter(now).exactOptional().describe(`Calls before that. ${timeWords}`),
    text: Name.exactOptional().describe('Stands in what was kept of input or output.'),
    executionId: Name.exactOptional().describe('The record of this execution.'),
    parentId: Name.exactOptional().describe('The links of this chain.'),
  } satisfies Record<keyof RecordFilter, z.ZodType>;
}

/** For `refine`: a time that ends before it begins holds nothing, which nobody asks for. */
export function isInOrder({ since, until }: { since?: number; until?: number }): boolean {
  return since === undefined || until === undefined || since < until;
}

/** What `isInOrder` refuses with. */
export const notInOrder = '"until" has to be later than "since"';
