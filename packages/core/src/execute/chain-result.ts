import { z } from 'zod';
import { AuditPosition } from '../audit/audit-log.ts';
import { Outcome, OutcomeStatus, Usage } from '../outcome/outcome.ts';
import { WorkspaceEnd } from './call/call-workspace.ts';

/** One link of a chain that ran. */
export const ChainLink = z.strictObject({
  position: z.number().describe('From 1.'),
  skillId: z.string(),
  executionId: z.string(),
  outcome: OutcomeStatus,
  usage: Usage,
  workspace: WorkspaceEnd.exactOptional().describe('Present if the chain names a workspace.'),
  audit: AuditPosition,
});
export type ChainLink = z.output<typeof ChainLink>;

/** The result of a chain. */
export const ChainResult = z
  .strictObject({
    executionId: z.string().describe("The parent of every link's record."),
    outcome: Outcome.describe('The outcome of the last link that ran.'),
    /** Times and fuel of all links added up, and their highest memory; `null` if any link's is. */
    usage: Usage,
    failedAt: z
      .strictObject({ position: z.number(), skillId: z.string() })
      .exactOptional()
      .describe('The link that failed; absent if none did.'),
    links: z.array(ChainLink).readonly().describe('The links that ran.'),
  })
  .meta({ id: 'ChainAnswer', description: 'The result of a chain.' });
export type ChainResult = z.output<typeof ChainResult>;
