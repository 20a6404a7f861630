import { hash } from 'node:crypto';
import type { ExecuteResult, FileChange, ReceiptedResult } from '@ambit/core';
import { z } from 'zod';
import { utf8 } from '../utf8.ts';
import { AnsweredDenial } from './capability.ts';
import { AnsweredOutcome, AnsweredPosition, AnsweredUsage } from './outcome.ts';
import { SignedReceipt } from './receipt.ts';
import { AnsweredWorkspaceEnd } from './workspace.ts';

/**
 * A changed file as JSON can carry it: text where its bytes are UTF-8 and JSON writes most as they are, else base64; its digest where a workspace keeps it;
 * none of them where it is left out.
 */
export const AnsweredFile = z
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
export type AnsweredFile = z.output<typeof AnsweredFile>;

/** What came of a call; with its receipt where one was asked for. */
export type Answered = ExecuteResult & Partial<Pick<ReceiptedResult, 'receipt'>>;

/** The answer of `POST /skills/:id/execute`. */
export const ExecuteAnswer = z
  .strictObject({
    executionId: z.string().describe('Under which the log has it.'),
    outcome: AnsweredOutcome,
    usage: AnsweredUsage,
    log: z.string().describe('What the skill wrote beside its output, bounded.'),
    files: z.array(AnsweredFile).exactOptional().describe('There for a skill with a workspace.'),
    workspace: AnsweredWorkspaceEnd.exactOptional().describe('There for a call that names one.'),
    denials: z
      .array(AnsweredDenial)
      .readonly()
      .exactOptional()
      .describe('What the run tried to touch and was not let.'),
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

function digestedFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  return { ...file, sha256: hash('sha256', content) };
}

function answeredFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  const text = isSpelledOut(content) ? undefined : utf8(content);
  return text === undefined
    ? { ...file, base64: Buffer.from(content).toString('base64') }
    : { ...file, text };
}

/** Whether JSON would have to write so many of the bytes as `\u0001` that base64 is shorter: by a third, and not by six. */
function isSpelledOut(content: Uint8Array): boolean {
  let spelled = 0;
  // 8 to 13, but for 11, have a short form, as \n has.
  for (const byte of content) if (byte < 32 && (byte < 8 || byte === 11 || byte > 13)) spelled += 1;
  return spelled > content.length / 15;
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
