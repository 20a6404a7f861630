import { hash } from 'node:crypto';
import type { AnsweredFile, ExecuteAnswer } from '@ambit/api';
import type { ExecuteResult, ReceiptedResult } from '@ambit/core/execute';
import { allBytesOf, digestOf, type FileChange, type FileContent } from '@ambit/core/workspace';
import { fileContent, type JsonThread } from '@ambit/runtime';

/** The result of a call, with its receipt if the call asked for one. */
export type AnsweredCall = ExecuteResult & Partial<Pick<ReceiptedResult, 'receipt'>>;

/** A result in the wire format; without the contents of its files if `hasContents` is false. */
export function executeAnswer(
  { files, outputJson: _, ...result }: AnsweredCall,
  { hasContents = true }: { hasContents?: boolean } = {},
): ExecuteAnswer {
  return files === undefined
    ? result
    : { ...result, files: files.map(hasContents ? answeredFile : digestedFile) };
}

/** Larger outputs are inserted as their recorded text. Smaller ones cost less to write again. */
const writtenBytesMax = 4096;

/**
 * The same, for `json` to serialize: a large output is the text that was recorded, and large files are
 * encoded in the thread of `json`.
 */
export async function writableAnswer(
  json: JsonThread,
  { files, outcome: ended, outputJson, ...rest }: AnsweredCall,
  { hasContents }: { hasContents: boolean },
): Promise<ExecuteAnswer> {
  const isLarge = outputJson !== undefined && outputJson.bytes.length > writtenBytesMax;
  const outcome = ended.status === 'succeeded' && isLarge ? { ...ended, output: outputJson } : ended;
  const result = { ...rest, outcome };
  if (files === undefined || !hasContents)
    return executeAnswer(files === undefined ? result : { ...result, files }, { hasContents });
  return { ...result, files: await writableFiles(json, files) };
}

/** The contents of the files in one response together. */
const contentsBytesMax = 16 * 1024 * 1024;

async function writableFiles(json: JsonThread, files: readonly FileChange[]): Promise<AnsweredFile[]> {
  const answered: AnsweredFile[] = [];
  let left = contentsBytesMax;
  for (const { content, ...file } of files) {
    const bytes = content === null ? undefined : await heldBytes(content, left);
    left -= bytes?.length ?? 0;
    if (bytes === undefined) answered.push(content === null ? file : { ...file, omitted: tooLarge });
    else {
      const member = await json.fileContent(bytes);
      answered.push({ ...file, [member.key]: member.value });
    }
  }
  return answered;
}

const tooLarge = `over the limit of ${contentsBytesMax} bytes for the contents in a response; read it from the workspace`;

/** The bytes of a file; `undefined` if they are too many, or a later call has replaced them. */
async function heldBytes(
  content: Uint8Array | FileContent,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  if (content instanceof Uint8Array) return content;
  return content.length > bytesMax ? undefined : allBytesOf(content).catch(() => undefined);
}

function digestedFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  return { ...file, sha256: digestOf(content, (bytes) => hash('sha256', bytes)) };
}

function answeredFile({ content, ...file }: FileChange): AnsweredFile {
  if (content === null) return file;
  if (!(content instanceof Uint8Array)) return { ...file, omitted: tooLarge };
  const { key, value } = fileContent(content);
  return { ...file, [key]: value };
}

/** The inverse of `executeAnswer`: a result with the bytes of its files. */
export function executeResult({ files, ...answer }: ExecuteAnswer): AnsweredCall {
  return files === undefined ? answer : { ...answer, files: files.map(fileChange) };
}

function fileChange(file: AnsweredFile): FileChange {
  const { text, base64, sha256: _, ...change } = file;
  if (text !== undefined) return { ...change, content: Buffer.from(text) };
  return { ...change, content: base64 === undefined ? null : Buffer.from(base64, 'base64') };
}
