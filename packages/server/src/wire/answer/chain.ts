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
  workspace: AnsweredWorkspaceEnd.exactOptional().describe('Present if the chain names a workspace.'),
  audit: AnsweredPosition,
}) satisfies z.ZodType<RanLink>;

/** The response of `POST /chain`. */
export const ChainAnswer = z
  .strictObject({
    executionId: z.string().describe("The parent of every link's record."),
    outcome: AnsweredOutcome.describe('The outcome of the last link that ran.'),
    usage: AnsweredUsage,
    failedAt: z
      .strictObject({ position: z.number(), skillId: z.string() })
      .exactOptional()
      .describe('The link that failed; absent if none did.'),
    links: z.array(ChainLink).readonly().describe('The links that ran.'),
  })
  .meta({ id: 'ChainAnswer', description: 'The result of a chain.' }) satisfies z.ZodType<ChainResult>;
