import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Checkpoint, Signed } from '@ambit/core/audit';
import { withinTime } from '../../within-time.ts';

/**
 * A location for copies of the checkpoints, which users who can change the log should not be able
 * to change.
 */
export interface CheckpointLocation {
  /** Stores one line of JSON, including its newline. Resolves when it is stored. */
  store(line: string): Promise<void>;
  /**
   * Called with the error when the location fails, and with `undefined` when it works again. Calls
   * neither wait nor fail.
   */
  onFailure(error: unknown): void;
}

/** Copies checkpoints to their location, one after another in the background. */
export interface OutsideCheckpoints {
  add(signed: Signed<Checkpoint>): void;
  /** Resolves when the last one is stored, or after a time limit. */
  close(): Promise<void>;
}

/**
 * The number of checkpoints that wait for a failing location. Beyond this the oldest are dropped, because later ones
 * cover them.
 */
const waitingMax = 1000;
/** The time that shutdown waits for the location. */
const closeWaitMs = 5000;

export function outsideCheckpoints({ store, onFailure }: CheckpointLocation): OutsideCheckpoints {
  const waiting: Signed<Checkpoint>[] = [];
  let isFailing = false;
  let underWay: Promise<void> | undefined;

  const bring = async (): Promise<void> => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        await store(`${JSON.stringify(next)}\n`);
      } catch (error) {
        isFailing = true;
        onFailure(error);
        // Retried with the next checkpoint, a minute later.
        return;
      }
      if (isFailing) onFailure(undefined);
      isFailing = false;
      const at = waiting.indexOf(next);
      if (at !== -1) waiting.splice(at, 1);
    }
  };

  return {
    add(signed) {
      waiting.push(signed);
      if (waiting.length > waitingMax) waiting.shift();
      underWay ??= bring().finally(() => {
        underWay = undefined;
      });
    },
    async close() {
      if (underWay !== undefined) await withinTime(closeWaitMs, underWay);
    },
  };
}

/** NONBLOCK, so that opening a pipe without a reader fails instead of waiting. */
const appendFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;

/** Appends a line to a file outside the data directory, which is never read or shortened here. */
export async function appendLine(file: string, line: string): Promise<void> {
  const handle = await open(file, appendFlags, 0o600);
  try {
    await handle.appendFile(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
