import { isUtf8 } from 'node:buffer';
import type { Outcome, RunInput } from '@ambit/core/execute';
import { JsonText } from '@ambit/core/json';
import type { CommandOutput } from '@ambit/core/outcome';
import type { Payload } from '@ambit/core/skill';
import type { JsonThread } from '../json/json-thread.ts';
import { readOutput, readText, stringBytes } from '../json/read-output.ts';
import { writtenText } from './written.ts';

/**
 * The stdin of a run. With protocol json, that is the input as JSON, or the text itself if the
 * sidecar has `input: text`. With protocol command, it is the call's stdin, or its input as JSON.
 */
export async function inputBytes(
  input: RunInput,
  payload: Payload | undefined,
  json: JsonThread | undefined,
): Promise<Uint8Array> {
  if (input.protocol === 'command') {
    if (typeof input.stdin === 'string') return new TextEncoder().encode(input.stdin);
    if (input.stdin instanceof Uint8Array) return input.stdin;
    return inputBytes({ protocol: 'json', value: input.stdin.json }, undefined, json);
  }
  const { value } = input;
  if (!(value instanceof JsonText)) {
    const isText = payload === 'text' && typeof value === 'string';
    return new TextEncoder().encode(isText ? value : JSON.stringify(value));
  }
  if (payload !== 'text') return value.bytes;
  return json === undefined ? stringBytes(value.bytes) : json.stringBytes(value);
}

/** Whether stdout is the output of a run, which is read at its end and not sent before. */
export function returnsStdout(input: RunInput): boolean {
  return input.protocol === 'json' || (typeof input.stdin === 'object' && 'json' in input.stdin);
}

/**
 * The outcome of a command that exited with 0. Bytes that are not UTF-8 are in base64. After JSON as input, its output is the
 * JSON of stdout, or else the text.
 */
export async function commandOutcome(
  input: RunInput,
  stdout: Uint8Array,
  stderr: string,
  json: JsonThread | undefined,
): Promise<Outcome> {
  if (returnsStdout(input)) return jsonOrText(stdout, json);
  if (!isUtf8(stdout)) {
    // First, because a record may store only the beginning.
    const output: CommandOutput = { encoding: 'base64', exitCode: 0, stdout: base64(stdout), stderr };
    return { status: 'succeeded', output };
  }
  const output: CommandOutput = { exitCode: 0, stdout: await writtenText(stdout, false), stderr };
  return { status: 'succeeded', output };
}

async function jsonOrText(stdout: Uint8Array, json: JsonThread | undefined): Promise<Outcome> {
  const read =
    stdout.length === 0
      ? { problem: 'is empty', bytes: stdout }
      : await (json?.readOutput ?? readOutput)(stdout);
  if ('value' in read) return { status: 'succeeded', output: read.value };
  const notJson = `the output ${read.problem}`;
  if (!isUtf8(read.bytes))
    return { status: 'succeeded', output: base64(read.bytes), notJson, encoding: 'base64' };
  return { status: 'succeeded', output: await writtenText(read.bytes, false), notJson };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * The outcome of a skill with protocol json: its output, or why the output is invalid, with `log`.
 * With a `json` thread a large output is returned as a `JsonText`; without one it is parsed here.
 */
export async function outputOutcome(
  bytes: Uint8Array,
  payload: Payload | undefined,
  log: string,
  json: JsonThread | undefined,
): Promise<Outcome> {
  const invalid = (detail: string): Outcome => ({ status: 'output-invalid', detail, stderr: log });
  if (payload !== 'text' && bytes.length === 0) return invalid('the skill wrote no output');
  const read = await (payload === 'text'
    ? (json?.readText ?? readText)(bytes)
    : (json?.readOutput ?? readOutput)(bytes));
  return 'problem' in read
    ? invalid(`the skill's output ${read.problem}`)
    : { status: 'succeeded', output: read.value };
}
