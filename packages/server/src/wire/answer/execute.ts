import { hash } from 'node:crypto';
import { AuditPosition, SignedReceipt } from '@ambit/core/audit';
import { type ExecuteResult, Outcome, type ReceiptedResult, WorkspaceEnd } from '@ambit/core/execute';
import { Usage, UsedCapabilities } from '@ambit/core/outcome';
import { Denial } from '@ambit/core/policy';
import { allBytesOf, digestOf, type FileChange, type FileContent } from '@ambit/core/workspace';
import { fileContent, type JsonThread } from '@ambit/runtime';
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
type AnsweredFile = z.output<typeof AnsweredFile>;

/** The result of a call, with its receipt if the call asked for one. */
export type AnsweredCall = ExecuteResult & Partial<Pick<ReceiptedResult, 'receipt'>>;

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
