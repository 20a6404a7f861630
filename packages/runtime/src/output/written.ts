import type { Outcome, Written } from '@ambit/core';

/** What a stream wrote, as text. A character that was cut off at the bound, or by the end of the run, is left out. */
export function writtenText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** An outcome with what a command had written, where its kind of outcome keeps that. */
export function withWritten(outcome: Outcome, { stdout, stderr }: Required<Written>): Outcome {
  switch (outcome.status) {
    case 'timed-out':
    case 'out-of-memory':
    case 'out-of-fuel':
    case 'output-too-large':
    case 'capability-violated':
    case 'canceled':
    case 'failed':
      return { ...outcome, stdout, stderr };
    case 'succeeded':
    case 'output-invalid':
    case 'interrupted':
      return outcome;
    default:
      return outcome satisfies never;
  }
}
