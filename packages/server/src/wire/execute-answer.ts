import { createHash } from 'node:crypto';
import type { ExecuteResult, FileChange, ReceiptedResult } from '@ambit/core';
import { utf8 } from './utf8.ts';

/**
 * A changed file as JSON can carry it: text where its bytes are UTF-8, else base64; its digest (hex) where a workspace keeps
 * it; none of them where it is left out.
 */
export type AnsweredFile = Omit<FileChange, 'content'> &
  ({ text: string } | { base64: string } | { sha256: string } | object);

/** What came of a call; with its receipt where one was asked for. */
export type Answered = ExecuteResult & Partial<Pick<ReceiptedResult, 'receipt'>>;

/** The answer of `POST /skills/:id/execute`. */
export type ExecuteAnswer = Omit<Answered, 'files'> & { files?: AnsweredFile[] };

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
  return { ...file, sha256: createHash('sha256').update(content).digest('hex') };
}

function answeredFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  const text = utf8(content);
  return text === undefined
    ? { ...file, base64: Buffer.from(content).toString('base64') }
    : { ...file, text };
}

/** The other way: what came over the wire, with the files' bytes. */
export function executeResult({ files, ...answer }: ExecuteAnswer): Answered {
  return files === undefined ? answer : { ...answer, files: files.map(fileChange) };
}

function fileChange(file: AnsweredFile): FileChange {
  const { text, base64, ...change } = file as AnsweredFile & { text?: string; base64?: string };
  if (text !== undefined) return { ...change, content: Buffer.from(text) };
  return { ...change, content: base64 === undefined ? null : Buffer.from(base64, 'base64') };
}
