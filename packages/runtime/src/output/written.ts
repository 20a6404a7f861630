import type { Outcome } from '@ambit/core/execute';
import type { Written } from '@ambit/core/outcome';
import { inPieces } from '../stream/turns.ts';

/**
 * Decodes the output of a stream. Bytes that are not UTF-8 are replaced. If the output was
 * truncated or its run was ended, half a character at the end is dropped.
 */
export async function writtenText(bytes: Uint8Array, wasCut: boolean): Promise<string> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  await inPieces(bytes, (piece) => {
    text += utf8.decode(piece, { stream: true });
  });
  return wasCut ? text : text + utf8.decode();
}

/** Adds a command's output to its outcome, if that kind of outcome has it. */
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
