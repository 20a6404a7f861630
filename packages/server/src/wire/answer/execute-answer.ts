import { hash } from 'node:crypto';
import type { ExecuteResult } from '@ambit/core/execute';
import type { FileChange, ReceiptedResult } from '@ambit/core/internal';
import { fileContent, type JsonThread } from '@ambit/runtime';
import { z } from 'zod';
import { AnsweredDenial } from './capability.ts';
import { AnsweredOutcome, AnsweredPosition, AnsweredUsage } from './outcome.ts';
import { SignedReceipt } from './receipt.ts';
import { AnsweredUsed } from './used.ts';
import { AnsweredWorkspaceEnd } from './workspace.ts';

/**
 * A changed file as JSON can carry it: text where its bytes are UTF-8 and JSON writes most as they are, else base64; its digest where a workspace keeps it;
 * none of them where it is left out.
 */
const AnsweredFile = z
  .strictObject({
    path: z.string(),
    change: z.enum(['created', 'changed', 'deleted']),
    bytes: z.number().describe('The size; 0 for what was deleted.'),
    omitted: z.string().exactOptional().describe('Why the content is left out.'),
    text: z
      .string()
      .exactOptional()
      .describe('The content, where it is UTF-8 and not full of control characters.'),
    base64: z.string().exactOptional().describe('The content, otherwise.'),
    sha256: z
      .string()
      .exactOptional()
      .describe('Hex, where the content is not here and a workspace keeps it.'),
  })
  .meta({ id: 'FileChange', description: 'What a run left different in its workspace.' });
type AnsweredFile = z.output<typeof AnsweredFile>;

/** What came of a call; with its receipt where one was asked for. */
export type Answered = ExecuteResult & Partial<Pick<ReceiptedResult, 'receipt'>>;

/** The answer of `POST /skills/:id/execute`. */
export const ExecuteAnswer = z
  .strictObject({
    executionId: z.string().describe('Under which the log has it.'),
    outcome: AnsweredOutcome,
    usage: AnsweredUsage,
    used: AnsweredUsed,
    log: z.string().describe('What the skill wrote beside its output, bounded.'),
    files: z.array(AnsweredFile).exactOptional().describe('There for a skill with a workspace.'),
    workspace: AnsweredWorkspaceEnd.exactOptional().describe('There for a call that names one.'),
    denials: z
      .array(AnsweredDenial)
      .readonly()
      .exactOptional()
      .describe('What the run tried to touch and was not let.'),
    hint: z
      .string()
      .exactOptional()
      .describe(
        'What to do about a run that failed, where what it wrote tells, with the line of configuration that would grant what is missing.',
      ),
    audit: AnsweredPosition,
    receipt: SignedReceipt.nullable()
      .exactOptional()
      .describe('There when it was asked for; `null` when it could not be made just now.'),
  })
  .meta({ id: 'ExecuteAnswer', description: 'What came of a call that ran.' });
export type ExecuteAnswer = z.output<typeof ExecuteAnswer>;

/** A result as it is sent; without the bytes of its files where `hasContents` says so. */
export function executeAnswer(
  { files, ...result }: Answered,
  { hasContents = true }: { hasContents?: boolean } = {},
): ExecuteAnswer {
  return files === undefined
    ? result
    : { ...result, files: files.map(hasContents ? answeredFile : digestedFile) };
}

/** The same, to be written by `json`, which reads the files that are large. */
export async function writableAnswer(
  json: JsonThread,
  { files, ...result }: Answered,
  { hasContents }: { hasContents: boolean },
): Promise<ExecuteAnswer> {
  if (files === undefined || !hasContents)
    return executeAnswer(files === undefined ? result : { ...result, files }, { hasContents });
  const answered: AnsweredFile[] = [];
  for (const { content, ...file } of files) {
    const member = content === null ? undefined : await json.fileContent(content);
    answered.push(member === undefined ? file : { ...file, [member.key]: member.value });
  }
  return { ...result, files: answered };
}

function digestedFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  return { ...file, sha256: hash('sha256', content) };
}

function answeredFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  const { key, value } = fileContent(content);
  return { ...file, [key]: value };
}

/** The other way: what came over the wire, with the files' bytes. */
export function executeResult({ files, ...answer }: ExecuteAnswer): Answered {
  return files === undefined ? answer : { ...answer, files: files.map(fileChange) };
}

function fileChange(file: AnsweredFile): FileChange {
  const { text, base64, sha256: _, ...change } = file;
  if (text !== undefined) return { ...change, content: Buffer.from(text) };
  return { ...change, content: base64 === undefined ? null : Buffer.from(base64, 'base64') };
}
