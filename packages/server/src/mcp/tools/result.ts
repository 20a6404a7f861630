import { modelText, type SkillError } from '@ambit/core';
import type { ExecuteResult } from '@ambit/core/execute';
import { cutText, type Denial, denialText, JsonText } from '@ambit/core/internal';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { outcomeText } from '../../wire/outcome-text.ts';
import { leftFiles } from './left-files.ts';
import { nextSteps } from './next-steps.ts';

/** Text as a tool's answer. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** What an answer holds of an output: a model has no use for more, and the SDK writes it where others wait. */
const charactersMax = 256 * 1024;

/** Of the log of a run that succeeded, which is not what was asked for. */
const logCharactersMax = 4096;

const refusalCharactersMax = 16 * 1024;

/**
 * What came of a call. A run that ended badly is an answer with `isError`, in words; `structured` is the output where the
 * tool promises one. Its record is named under `_meta`. What is left out is followed by a sentence on how to get it.
 */
export function runResult(
  skillId: string,
  result: ExecuteResult,
  structured: (() => Record<string, unknown>) | undefined,
): CallToolResult {
  const { outcome, executionId, audit, log, denials = [] } = result;
  const files = leftFiles(result);
  const _meta = {
    ...{ 'ambit/executionId': executionId, 'ambit/audit': audit },
    ...(result.workspace === undefined ? {} : { 'ambit/workspace': result.workspace }),
  };
  if (outcome.status === 'succeeded') {
    const output = outputText(outcome.output);
    const content = [
      ...[shortened(output), ...logLines(outcome.output, log), ...denialLines(denials)].map(text),
      ...files,
    ];
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
  const lines = [`${what} was not run (${code})${why}`, ...denialLines(denials), nextSteps[code]];
  // A reason can name a skill's own words.
  const said = modelText(lines.filter((line) => line !== undefined).join('\n'));
  const cut = said.length > refusalCharactersMax ? '\n[cut: the audit log has the whole reason]' : '';
  return {
    content: [text(cutText(said, refusalCharactersMax) + cut)],
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

/** What a skill with protocol json logged. The log of a command is its stderr, which `outputText` has. */
function logLines(output: unknown, log: string): string[] {
  const isCommand = typeof (output as { stderr?: unknown } | undefined)?.stderr === 'string';
  if (log === '' || isCommand) return [];
  if (log.length <= logCharactersMax) return [`[log]\n${log}`];
  const cut = log.slice(0, logCharactersMax).toWellFormed();
  return [
    `[log]\n${cut}\n[cut: the log has ${log.length} characters. A client that asks for log messages of level info gets all of it, and so does a call over HTTP]`,
  ];
}

function denialLines(denials: readonly Denial[]): string[] {
  if (denials.length === 0) return [];
  return [
    'Not granted, and you cannot grant it. Tell the user what is missing and how it is granted:',
    ...denials.map((denial) => `- ${denialText(denial)}`),
  ];
}

function shortened(value: string): string {
  if (value.length <= charactersMax) return value;
  const cut = value.slice(0, charactersMax).toWellFormed();
  return `${cut}\n[cut: it has ${value.length} characters, and an answer over MCP holds ${charactersMax}. To get all of it, have the skill write a file in a workspace, ask the skill for less, or call it over HTTP]`;
}
