import { refusedOf } from '@ambit/api';
import { modelText, type SkillError } from '@ambit/core';
import type { ExecuteResult, Outcome } from '@ambit/core/execute';
import type { JsonText } from '@ambit/core/json';
import type { CommandOutput } from '@ambit/core/outcome';
import { type Denial, denialTexts } from '@ambit/core/policy';
import { cutText } from '@ambit/core/prompt';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { missingProgramsText, outcomeText } from '../../wire/outcome-text.ts';
import { leftFiles, outputBytes } from './left-files.ts';

/** Text as a tool's result. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/**
 * The output in a result: a model cannot use more, and the SDK serializes it on the main thread.
 */
const charactersMax = 256 * 1024;

/** For the log of a run that succeeded. */
const logCharactersMax = 4096;

const refusalCharactersMax = 16 * 1024;

/**
 * The result of a call. A failed run is a result with `isError` and a text; `structured` returns
 * the output as the tool's output schema requires, if it has one. `_meta` identifies its record. A
 * sentence says how to get what is left out.
 */
export function runResult(
  skillId: string,
  result: ExecuteResult,
  structured: ((output: unknown) => Record<string, unknown>) | undefined,
): CallToolResult {
  const { outcome, executionId, audit, log, denials = [] } = result;
  const files = leftFiles(result);
  const _meta = {
    'ambit/executionId': executionId,
    'ambit/audit': audit,
    'ambit/workspace': result.workspace,
  };
  if (outcome.status === 'succeeded') {
    const { notJson } = outcome;
    const inBase64 = base64Of(outcome);
    const output =
      notJson === undefined ? outputText(outcome.output, result.outputJson) : String(outcome.output);
    const note =
      notJson === undefined || inBase64 !== undefined ? [] : [modelText(`[this is text: ${notJson}]`)];
    const lines = [
      ...note,
      ...logLines(outcome.output, log, inBase64 !== undefined),
      ...denialLines(denials),
      ...missingLines(skillId, result),
    ];
    const main = inBase64 === undefined ? [text(shortened(output))] : outputBytes(inBase64);
    const content = [...main, ...lines.map(text), ...files];
    if (structured === undefined) return { content, _meta };
    // A tool with an output schema must return structured content, except with an error.
    if (output.length > charactersMax) return { content, isError: true, _meta };
    return { content, structuredContent: structured(outcome.output), _meta };
  }
  const wrote = [
    ('stdout' in outcome && outcome.stdout) || '',
    ('stderr' in outcome && outcome.stderr) || log,
  ];
  const lines = [
    ...wrote.filter((part) => part !== '').map(shortened),
    ...endText(skillId, outcome, result),
    ...denialLines(denials),
    ...missingLines(skillId, result),
  ];
  return { content: [text(lines.join('\n')), ...files], isError: true, _meta };
}

/** Lists what the run may have lacked. It names no command that grants: a person decides. */
function missingLines(skillId: string, { missingPrograms = [] }: ExecuteResult): string[] {
  if (missingPrograms.length === 0) return [];
  const what = missingProgramsText(skillId, missingPrograms);
  return [`${what} A person can grant them (to read the skill: "ambit skills review ${skillId}").`];
}

/**
 * Describes the end of a run. If the run's denials include the remedy, the second sentence, which would repeat
 * it, is dropped.
 */
function endText(
  skillId: string,
  outcome: Parameters<typeof outcomeText>[1],
  { denials = [], hint }: ExecuteResult,
): string[] {
  const lines = outcomeText(skillId, outcome, { hint });
  return outcome.status === 'capability-violated' && denials.length > 0 ? lines.slice(0, 1) : lines;
}

/** A call that was refused or could not start: the reason, and the configuration that allows it. */
export function refusedResult(
  what: string,
  executionId: string,
  { code, message, details }: SkillError,
): CallToolResult {
  const denials = Array.isArray(details['denials']) ? (details['denials'] as Denial[]) : [];
  // The message repeats the denials.
  const why =
    denials.length > 0 ? '.' : `: ${message.replace(`invalid input for ${what}:`, 'invalid input:')}`;
  const lines = [
    `${what} did not run (${code})${why}`,
    ...denialLines(denials),
    refusedOf(code)?.next?.model,
  ];
  // A reason can contain a skill's own text.
  const whole = modelText(lines.filter((line) => line !== undefined).join('\n'));
  const cut = whole.length > refusalCharactersMax ? '\n[cut: the audit log has the whole reason]' : '';
  return {
    content: [text(cutText(whole, refusalCharactersMax) + cut)],
    isError: true,
    _meta: {
      'ambit/code': code,
      // The log cannot record that it is unavailable.
      'ambit/executionId': code === 'AUDIT_UNAVAILABLE' ? undefined : executionId,
      'ambit/denials': denials.length > 0 ? denials : undefined,
    },
  };
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

/** The output of a run if it is not text; see `CommandOutput`. */
function base64Of({
  output,
  encoding: ofText,
}: Extract<Outcome, { status: 'succeeded' }>): string | undefined {
  const { stdout, stderr, encoding } = (output ?? {}) as Partial<CommandOutput>;
  if (ofText === 'base64') return String(output);
  return encoding === 'base64' && typeof stderr === 'string' ? stdout : undefined;
}

/** The output as JSON; of a command, its two streams without the JSON around them, which is clearer to a model. */
function outputText(output: unknown, json: JsonText | undefined): string {
  const { stdout, stderr, exitCode } = (output ?? {}) as Record<string, unknown>;
  if (typeof stdout === 'string' && typeof stderr === 'string' && exitCode === 0)
    return stderr === '' ? stdout : `${stdout}\n[stderr]\n${stderr}`;
  return json === undefined ? (JSON.stringify(output) ?? 'null') : new TextDecoder().decode(json.bytes);
}

/**
 * The log of a skill with protocol `json`. The log of a command is its stderr, which `outputText`
 * includes.
 */
function logLines(output: unknown, log: string, isBytes: boolean): string[] {
  const isCommand = typeof (output as { stderr?: unknown } | undefined)?.stderr === 'string';
  if (log === '' || (isCommand && !isBytes)) return [];
  if (log.length <= logCharactersMax) return [`[log]\n${log}`];
  const cut = log.slice(0, logCharactersMax).toWellFormed();
  return [
    `[log]\n${cut}\n[cut: the log has ${log.length} characters. To get all of it, ask for log messages of level info, or make the call over HTTP]`,
  ];
}

function denialLines(denials: readonly Denial[]): string[] {
  if (denials.length === 0) return [];
  return [
    'This is not granted, and you cannot grant it: a person decides. Tell the user what is missing:',
    ...denialTexts(denials).map((text) => `- ${text}`),
  ];
}

function shortened(value: string): string {
  if (value.length <= charactersMax) return value;
  const cut = value.slice(0, charactersMax).toWellFormed();
  return `${cut}\n[cut: the text has ${value.length} characters, and a result over MCP has at most ${charactersMax}. To get all of it, have the skill write a file in a workspace, ask the skill for less, or make the call over HTTP]`;
}
