import type { Outcome } from '@ambit/core/execute';
import type { Written } from '@ambit/core/internal';
import { piecesOf } from './pieces-of.ts';

/**
 * What a stream wrote, as text. Bytes that are not UTF-8 are replaced. Of a stream that was cut off, at its bound or with the
 * end of its run, half a character at its end is left out.
 */
export async function writtenText(bytes: Uint8Array, wasCut: boolean): Promise<string> {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const piece of piecesOf(bytes)) text += utf8.decode(piece, { stream: true });
  return wasCut ? text : text + utf8.decode();
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
