import type { Checkpoint, Signed } from '@ambit/core/internal';
import { z } from 'zod';
import { signedStatement } from '../sign/signed.ts';

const SignedCheckpoint = signedStatement(
  z.strictObject({
    type: z.literal('ambit/checkpoint/1'),
    logId: z.string(),
    sequence: z.int().positive(),
    hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    time: z.string(),
  }),
);

/** A checkpoint from its JSON; `undefined` for a text that is none. */
export function readCheckpoint(text: string): Signed<Checkpoint> | undefined {
  try {
    return SignedCheckpoint.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * The checkpoints of a file of lines, as they are kept outside. A last line without its end was cut off when it was
 * written, and is none. Throws an `Error` that names the line which is no checkpoint.
 */
export function readCheckpointLines(text: string): Signed<Checkpoint>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line, index) => {
      if (line.trim() === '') return [];
      const checkpoint = readCheckpoint(line);
      if (checkpoint === undefined) throw new Error(`its line ${index + 1} is no checkpoint`);
      return [checkpoint];
    });
}
