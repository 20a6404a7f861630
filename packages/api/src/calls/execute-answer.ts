import { AuditPosition, SignedReceipt } from '@ambit/core/audit';
import { Outcome, WorkspaceEnd } from '@ambit/core/execute';
import { Usage, UsedCapabilities } from '@ambit/core/outcome';
import { Denial } from '@ambit/core/policy';
import { z } from 'zod';

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
