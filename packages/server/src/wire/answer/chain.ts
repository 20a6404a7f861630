import type { ChainResult, ChainLink as RanLink } from '@ambit/core/internal';
import { z } from 'zod';
import { AnsweredOutcome, AnsweredOutcomeStatus, AnsweredPosition, AnsweredUsage } from './outcome.ts';
import { AnsweredWorkspaceEnd } from './workspace.ts';

/** One link of a chain that ran. */
export const ChainLink = z.strictObject({
  position: z.number().describe('From 1.'),
  skillId: z.string(),
  executionId: z.string(),
  outcome: AnsweredOutcomeStatus,
  usage: AnsweredUsage,
  workspace: AnsweredWorkspaceEnd.exactOptional().describe('There where the chain names one.'),
  audit: AnsweredPosition,
}) satisfies z.ZodType<RanLink>;

/** The answer of `POST /chain`. */
export const ChainAnswer = z
  .strictObject({
    executionId: z.string().describe("The parent of every link's record."),
    outcome: AnsweredOutcome.describe("The last link's that ran."),
    usage: AnsweredUsage,
    failedAt: z
      .strictObject({ position: z.number(), skillId: z.string() })
      .exactOptional()
      .describe('Where the chain broke; absent when it did not.'),
    links: z.array(ChainLink).readonly().describe('Those that ran.'),
  })
  .meta({ id: 'ChainAnswer', description: 'What came of a chain.' }) satisfies z.ZodType<ChainResult>;
