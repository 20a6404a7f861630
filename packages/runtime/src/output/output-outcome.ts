import type { CommandOutput, ExecutionInput, Outcome, Payload } from '@ambit/core';
import { jsonOutcome } from './json-outcome.ts';

/**
 * What a skill with protocol json reads: its input as JSON, or the text itself where its sidecar says `input: text`.
 * With protocol command it is stdin.
 */
export function inputBytes(input: ExecutionInput, payload: Payload | undefined): Uint8Array {
  const text = input.protocol === 'command' ? input.stdin : input.value;
  const isText = input.protocol === 'command' || payload === 'text';
  return new TextEncoder().encode(isText && typeof text === 'string' ? text : JSON.stringify(text));
}

/** What a command that exited with 0 has answered. Bytes that are not UTF-8 are replaced. */
export function commandOutcome(stdout: Uint8Array, stderr: string): Outcome {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(stdout);
  return { status: 'succeeded', output: { exitCode: 0, stdout: text, stderr } satisfies CommandOutput };
}

/** What a skill with protocol json has given, as an outcome: `log` goes with the reason why it is none. */
export function outputOutcome(bytes: Uint8Array, payload: Payload | undefined, log: string): Outcome {
  if (payload !== 'text') return jsonOutcome(bytes, log);
  try {
    const output = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { status: 'succeeded', output };
  } catch {
    return { status: 'output-invalid', detail: "the skill's output is not UTF-8", stderr: log };
  }
}
