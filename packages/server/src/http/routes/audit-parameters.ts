import { doors, type RecordFilter, recordOutcomes, Tier } from '@ambit/core';
import { z } from 'zod';
import { readTime, timeForms } from '../../wire/audit-time.ts';

/** A whole number from 1, as a query has it. */
export const Count = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, 'write a whole number from 1')
  .transform(Number);

const Name = z.string().min(1, 'write something, or leave it out').max(200, 'at most 200 characters');

export function timeParameter(now: () => number) {
  return z.string().transform((text, context) => {
    const time = readTime(text, now());
    if (time !== undefined) return time;
    context.addIssue({ code: 'custom', message: timeForms });
    return z.NEVER;
  });
}

/** What chooses records, in every route that shows some. */
export function filterParameters(now: () => number) {
  return {
    skill: Name.exactOptional(),
    actor: Name.exactOptional(),
    outcome: z.enum(recordOutcomes).exactOptional(),
    tier: Tier.exactOptional(),
    door: z.enum(doors).exactOptional(),
    /** A capability of which something was denied. */
    denied: Name.exactOptional(),
    since: timeParameter(now).exactOptional(),
    until: timeParameter(now).exactOptional(),
    /** Stands in what was kept of input or output. */
    text: Name.exactOptional(),
    executionId: Name.exactOptional(),
    parentId: Name.exactOptional(),
  } satisfies Record<keyof RecordFilter, z.ZodType>;
}

/** For `refine`: a time that ends before it begins holds nothing, which nobody asks for. */
export function isInOrder({ since, until }: { since?: number; until?: number }): boolean {
  return since === undefined || until === undefined || since < until;
}

export const notInOrder = '"until" has to be later than "since"';
