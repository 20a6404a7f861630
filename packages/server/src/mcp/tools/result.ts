import { cutText, type Denial, type ExecuteResult, modelText, type SkillError } from '@ambit/core';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type AnsweredFile, executeAnswer } from '../../wire/answer/execute-answer.ts';
import { outcomeText } from '../../wire/outcome-text.ts';

/** As much of a changed file as is put into an answer; a model has no use for more. */
const fileCharactersMax = 256 * 1024;

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
  structured: Record<string, unknown> | undefined,
): CallToolResult {
  const { outcome, executionId, audit, log, denials = [] } = result;
  const { files = [] } = executeAnswer(result);
  const _meta = { 'ambit/executionId': executionId, 'ambit/audit': audit };
  if (outcome.status === 'succeeded') {
    const texts = [outputText(outcome.output), ...denialLines(denials)];
    return {
      content: [...texts.map(text), ...files.flatMap(fileContent)],
      ...(structured === undefined ? {} : { structuredContent: structured }),
      _meta,
    };
  }
  const wrote = [
    ('stdout' in outcome && outcome.stdout) || '',
    ('stderr' in outcome && outcome.stderr) || log,
  ];
  const lines = [...wrote.filter((part) => part !== ''), ...outcomeText(skillId, outcome)];
  const texts = [...lines, ...denialLines(denials)].join('\n');
  return { content: [text(texts), ...files.flatMap(fileContent)], isError: true, _meta };
}

/** A call that was refused, or could not start: why, and the line of configuration that would let it run. */
export function refusedResult(what: string, { code, message, details }: SkillError): CallToolResult {
  const denials = Array.isArray(details['denials']) ? (details['denials'] as Denial[]) : [];
  const lines = [`${what} was not run (${code}): ${message}`, ...denialLines(denials)];
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

function fileContent(file: AnsweredFile): CallToolResult['content'] {
  const { path, change, bytes, text: whole, base64 } = file as AnsweredFile & Record<string, string>;
  const said = text(
    `It ${change} ${JSON.stringify(path)} in its workspace${bytes === undefined ? '' : `, ${bytes} bytes`}.`,
  );
  const content = whole ?? base64;
  if (content === undefined || content.length > fileCharactersMax) return [said];
  const uri = `workspace:///${path?.split('/').map(encodeURIComponent).join('/')}`;
  return [
    said,
    { type: 'resource', resource: whole === undefined ? { uri, blob: content } : { uri, text: content } },
  ];
}
