import { AuditPosition, SignedReceipt } from '@ambit/core/audit';
import { type BatchCall, ChainLink, ChainResult, Outcome, WorkspaceEnd } from '@ambit/core/execute';
import { OutcomeStatus, recordOutcomes, skillErrorCodes, Usage, UsedCapabilities } from '@ambit/core/outcome';
import { Denial } from '@ambit/core/policy';
import { z } from 'zod';
import { Problem } from '../problem.ts';

/**
 * A changed file in JSON. Its content is `text` if the bytes are UTF-8 with few control characters,
 * else `base64`. If a workspace stores the file, `sha256` replaces the content. An omitted file, a link
 * and a folder have none of them.
 */
const AnsweredFile = z
  .strictObject({
    path: z.string(),
    change: z.enum(['created', 'changed', 'deleted']),
    bytes: z.number().describe('The size; 0 for a deleted file, a link and a folder.'),
    executable: z.literal(true).exactOptional().describe('Present if its user can execute it.'),
    link: z.string().exactOptional().describe('The target of a symbolic link within the workspace.'),
    folder: z.literal(true).exactOptional().describe('Present for a folder that is empty, or was.'),
    omitted: z.string().exactOptional().describe('Why the content is left out.'),
    leftOut: z
      .literal(true)
      .exactOptional()
      .describe('Present if no workspace can store what `omitted` names. A workspace stores the rest.'),
    redacted: z
      .literal(true)
      .exactOptional()
      .describe('Present if its path or content has a secret of the skill, which is redacted.'),
    text: z.string().exactOptional().describe('The content, if it is UTF-8 with few control characters.'),
    base64: z.string().exactOptional().describe('The content of any other file.'),
    sha256: z
      .string()
      .exactOptional()
      .describe('Hex. Instead of the content, if a workspace stores the file.'),
  })
  .meta({ id: 'FileChange', description: 'A file that a run created, changed or deleted in its workspace.' });
export type AnsweredFile = z.output<typeof AnsweredFile>;

/** The response of `POST /skills/:id/execute`. */
export const ExecuteAnswer = z
  .strictObject({
    executionId: z.string().describe('The id in the audit log.'),
    outcome: Outcome,
    usage: Usage,
    used: UsedCapabilities,
    log: z.string().describe('What the skill wrote besides its output, truncated.'),
    files: z.array(AnsweredFile).exactOptional().describe('Present for a skill with a workspace.'),
    workspace: WorkspaceEnd.exactOptional().describe('Present for a call that names a workspace.'),
    denials: z
      .array(Denial)
      .readonly()
      .exactOptional()
      .describe('What the run tried to access without a grant.'),
    hint: z
      .string()
      .exactOptional()
      .describe(
        'How to fix a failed run, if its output names a missing module, program, path or host. A skill controls its output, so check a `hint` before you grant what it names.',
      ),
    remedy: z
      .string()
      .exactOptional()
      .describe('For the operator: what raises the limit that ended the run. Do not give it to a model.'),
    missingPrograms: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe(
        'Programs that its scripts name or tried to start, that this machine has and the grant lacks. A run can succeed without them, with less in its result. A person can grant them: `ambit skills propose` prints how.',
      ),
    audit: AuditPosition,
    receipt: SignedReceipt.nullable()
      .exactOptional()
      .describe('Present if the call asked for it; `null` if it is unavailable.'),
  })
  .meta({ id: 'ExecuteAnswer', description: 'The result of a call that ran.' });
export type ExecuteAnswer = z.output<typeof ExecuteAnswer>;

/** The summary of an answer that exceeds the limit of its batch. */
const OmittedAnswer = z
  .strictObject({
    executionId: z.string().describe('The id of its record in the audit log.'),
    outcome: OutcomeStatus,
    audit: AuditPosition,
  })
  .meta({
    id: 'OmittedAnswer',
    description: 'The summary of an answer that exceeds the size limit of its batch.',
  });
export type OmittedAnswer = z.output<typeof OmittedAnswer>;

/** The result of one call of a batch: the response that a single call would get, or that it was skipped. */
const BatchResult = z
  .union([
    z.strictObject({ status: z.literal(200), answer: ExecuteAnswer }),
    z.strictObject({
      status: z.literal(200),
      omitted: OmittedAnswer.describe(
        'The call ran, but with its answer the batch would exceed its size limit.',
      ),
    }),
    z.strictObject({ status: z.number().describe('The status of the problem.'), problem: Problem }),
    z.strictObject({ status: z.null(), skipped: z.literal(true) }),
  ])
  .meta({
    id: 'BatchResult',
    description: 'One call of a batch: its answer or a summary, its refusal, or neither.',
  });
export type BatchResult = z.output<typeof BatchResult>;

/** The response of `POST /batch`. */
export const BatchAnswer = z
  .strictObject({
    executionId: z.string().describe("The parent of every call's record."),
    results: z.array(BatchResult).describe('The results in the order of the calls.'),
  })
  .meta({ id: 'BatchAnswer', description: 'The results of a batch.' });
export type BatchAnswer = z.output<typeof BatchAnswer>;

/** The response to a call of any kind that ran. */
const CallAnswer = z.union([ExecuteAnswer, ChainResult, BatchAnswer]);

/** The state of an execution: `GET` and `DELETE /executions/:id`, and a `202`. */
export const ExecutionStatus = z
  .strictObject({
    executionId: z.string(),
    skillId: z.string().nullable().describe('`null` for a chain or a batch.'),
    status: z.enum(['queued', 'running', 'finished']),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().describe('`null` until it is finished.'),
    outcome: z
      .enum(recordOutcomes)
      .exactOptional()
      .describe(
        'When finished: how the run ended, or `denied`. For a batch: the outcome of the first call that did not succeed.',
      ),
    result: CallAnswer.exactOptional().describe(
      'The response of a finished execution that ran, while it is stored.',
    ),
    problem: Problem.exactOptional().describe('The problem of an execution that was refused.'),
    stored: z
      .literal(false)
      .exactOptional()
      .describe(
        'Present if the response could not be stored: a retry with the idempotency key may be refused.',
      ),
    detail: z
      .string()
      .exactOptional()
      .describe('Why the response is unavailable, and where to find the rest.'),
  })
  .meta({ id: 'Execution', description: 'A call, chain or batch that is queued, running or finished.' });
export type ExecutionStatus = z.output<typeof ExecutionStatus>;

/** The additional fields of events of a chain's link or a batch's call. */
const ofMany = {
  position: z
    .number()
    .exactOptional()
    .describe('The position of the link or call in its chain or batch, from 1.'),
};

const EndedCall = z.strictObject({
  position: z.number().describe('The position in the batch, from 1.'),
  skillId: z.string(),
  executionId: z.string(),
  outcome: z.union([OutcomeStatus, z.literal('denied')]),
  code: z.enum(skillErrorCodes).exactOptional().describe('The code of the refusal.'),
}) satisfies z.ZodType<BatchCall>;

/** An event of a call, a chain or a batch: the name of a server-sent event, and its `data`. */
export const CallEvent = z
  .discriminatedUnion('event', [
    event(z.literal('queued'), z.strictObject(ofMany), 'The record of the call has begun.'),
    event(z.literal('started'), z.strictObject(ofMany), 'The call has left the queue.'),
    event(
      z.enum(['stdout', 'stderr', 'log']),
      z.strictObject({ text: z.string(), ...ofMany }),
      'Output of the run, in arbitrary pieces.',
    ),
    event(
      z.literal('progress'),
      z.strictObject({
        done: z.number(),
        total: z.number().exactOptional().describe('The final value of `done`; absent: unknown.'),
        message: z.string().exactOptional(),
        ...ofMany,
      }),
      'The progress that the run reports.',
    ),
    event(z.literal('link'), ChainLink, 'A link of a chain has ended.'),
    event(z.literal('call'), EndedCall, 'A call of a batch has ended.'),
    event(z.literal('gap'), z.strictObject({ events: z.number() }), 'This many events are no longer stored.'),
    event(
      z.literal('unstored'),
      z.strictObject({ detail: z.string().describe('What that means for a retry.') }),
      'The response could not be stored under its idempotency key.',
    ),
    event(z.literal('result'), CallAnswer, 'The last event: the response without events.'),
    event(z.literal('problem'), Problem, 'The last event: why the call was refused.'),
    event(
      z.literal('record'),
      ExecutionStatus,
      'The only event, for a call that is no longer stored: its status from the audit log.',
    ),
  ])
  .meta({ id: 'CallEvent', description: 'An event of a call: its name, and its `data` as JSON.' });
export type CallEvent = z.output<typeof CallEvent>;

function event<Name extends z.ZodType<string>, Data extends z.ZodType>(
  name: Name,
  data: Data,
  description: string,
) {
  return z.strictObject({ event: name, data }).describe(description);
}
