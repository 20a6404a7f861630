import type { Checkpoint, Signed } from '@ambit/core/audit';
import { z } from 'zod';
import { signedStatement } from './signed-statement.ts';

const SignedCheckpoint = signedStatement(
  z.strictObject({
    type: z.literal('ambit/checkpoint/1'),
    logId: z.string(),
    sequence: z.int().positive(),
    hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    time: z.string(),
  }),
);

/** Parses a checkpoint from JSON; `undefined` if it is not one. */
export function readCheckpoint(text: string): Signed<Checkpoint> | undefined {
  try {
    return SignedCheckpoint.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * The checkpoints in a file of lines. An incomplete last line was interrupted while being written,
 * and is ignored. Throws an `Error` that names a line that is not a checkpoint.
 */
export function readCheckpointLines(text: string): Signed<Checkpoint>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line, index) => {
      if (line.trim() === '') return [];
      const checkpoint = readCheckpoint(line);
      if (checkpoint === undefined) throw new Error(`its line ${index + 1} is not a checkpoint`);
      return [checkpoint];
    });
}
