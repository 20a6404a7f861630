import { cutText, type Denial, type ExecuteResult, JsonText, modelText, type SkillError } from '@ambit/core';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type AnsweredFile, executeAnswer } from '../../wire/answer/execute-answer.ts';
import { outcomeText } from '../../wire/outcome-text.ts';

/** What an answer holds of a text, an output or a file: a model has no use for more, and the SDK writes it where others wait. */
const charactersMax = 256 * 1024;
/** Of all its files together. */
const fileBytesMax = 1024 * 1024;
/** Files beyond either bound are only counted. A path of control characters grows up to sevenfold when it is escaped. */
const filesMax = 1000;
const pathCharactersMax = 64 * 1024;

const refusalCharactersMax = 16 * 1024;

/** Text as a tool's answer. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/**
 * What came of a call. A run that ended badly is an answer with `isError`, in words; `structured` is the output where the
 * tool promises one. Its record is named under `_meta`.
 */
export function runResult(
  skillId: string,
  result: ExecuteResult,
  structured: (() => Record<string, unknown>) | undefined,
): CallToolResult {
  const { outcome, executionId, audit, log, denials = [] } = result;
  const files = filesContent(result);
  const _meta = { 'ambit/executionId': executionId, 'ambit/audit': audit };
  if (outcome.status === 'succeeded') {
    const output = outputText(outcome.output);
    const content = [...[shortened(output), ...denialLines(denials)].map(text), ...files];
    if (structured === undefined) return { content, _meta };
    // A tool that promises structure may not answer without it, except with an error.
    if (output.length > charactersMax) return { content, isError: true, _meta };
    return { content, structuredContent: structured(), _meta };
  }
  const wrote = [
    ('stdout' in outcome && outcome.stdout) || '',
    ('stderr' in outcome && outcome.stderr) || log,
  ];
  const lines = [
    ...wrote.filter((part) => part !== '').map(shortened),
    ...endText(skillId, outcome, result),
    ...denialLines(denials),
  ];
  return { content: [text(lines.join('\n')), ...files], isError: true, _meta };
}

/** How a run ended. What it was stopped for is among its denials with the remedy, which the second sentence would repeat. */
function endText(
  skillId: string,
  outcome: Parameters<typeof outcomeText>[1],
  { denials = [], hint }: ExecuteResult,
): string[] {
  const lines = outcomeText(skillId, outcome, { hint });
  return outcome.status === 'capability-violated' && denials.length > 0 ? lines.slice(0, 1) : lines;
}

/** A call that was refused, or could not start: why, and the line of configuration that would let it run. */
export function refusedResult(what: string, { code, message, details }: SkillError): CallToolResult {
  const denials = Array.isArray(details['denials']) ? (details['denials'] as Denial[]) : [];
  // The message has the denials too, in a sentence each.
  const why = denials.length > 0 ? '.' : `: ${message}`;
  const lines = [`${what} was not run (${code})${why}`, ...denialLines(denials)];
  return {
    // A reason can name a skill's own words.
    content: [text(cutText(modelText(lines.join('\n')), refusalCharactersMax))],
    isError: true,
    _meta: { 'ambit/code': code, ...(denials.length > 0 && { 'ambit/denials': denials }) },
  };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

/** A command's two streams are more to a model than the JSON around them. */
function outputText(output: unknown): string {
  if (output instanceof JsonText) return new TextDecoder().decode(output.bytes);
  const { stdout, stderr, exitCode } = (output ?? {}) as Record<string, unknown>;
  if (typeof stdout !== 'string' || typeof stderr !== 'string' || exitCode !== 0)
    return JSON.stringify(output) ?? 'null';
  return stderr === '' ? stdout : `${stdout}\n[stderr]\n${stderr}`;
}

function denialLines(denials: readonly Denial[]): string[] {
  if (denials.length === 0) return [];
  return [
    'Not granted, and you cannot grant it. Tell the user what is missing and how it is granted:',
    ...denials.map(
      ({ capability, requested, reason, remedy }) =>
        `- ${capability} ${requested}: ${reason}. To grant it: ${remedy}`,
    ),
  ];
}

/** What a run left, as far as there is room for its paths, and how many files are not shown. */
function filesContent({ files = [], ...result }: ExecuteResult): CallToolResult['content'] {
  let left = pathCharactersMax;
  const end = files.findIndex(({ path }, index) => {
    left -= path.length;
    return left < 0 || index === filesMax;
  });
  if (end === -1) return shownFiles({ ...result, files }).flatMap(fileContent);
  const more = `[cut: it left ${files.length} files in its workspace, and an answer over MCP names the first ${end}; call it over HTTP]`;
  return [...shownFiles({ ...result, files: files.slice(0, end) }).flatMap(fileContent), text(more)];
}

/** Without the contents that are too large, or have no room beside those before them. */
function shownFiles({ files = [], ...result }: ExecuteResult): readonly AnsweredFile[] {
  let left = fileBytesMax;
  const shown = files.map((file) => {
    const { content, ...rest } = file;
    if (content === null) return file;
    if (content.length > charactersMax || content.length > left) return { ...rest, content: null };
    left -= content.length;
    return file;
  });
  return executeAnswer({ ...result, files: shown }).files ?? [];
}

function shortened(value: string): string {
  if (value.length <= charactersMax) return value;
  const cut = value.slice(0, charactersMax).toWellFormed();
  return `${cut}\n[cut: it has ${value.length} characters, and an answer over MCP holds ${charactersMax}; ask the skill for less, or call it over HTTP]`;
}

function fileContent(file: AnsweredFile): CallToolResult['content'] {
  const { path, change, bytes, text: whole, base64 } = file as AnsweredFile & Record<string, string>;
  const said = text(
    `It ${change} ${JSON.stringify(path)} in its workspace${bytes === undefined ? '' : `, ${bytes} bytes`}.`,
  );
  const content = whole ?? base64;
  if (content === undefined) return [said];
  const uri = `workspace:///${path?.split('/').map(encodeURIComponent).join('/')}`;
  return [
    said,
    { type: 'resource', resource: whole === undefined ? { uri, blob: content } : { uri, text: content } },
  ];
}
