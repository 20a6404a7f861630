import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Checkpoint, Signed } from '@ambit/core/internal';

/** Where copies of the checkpoints go: a place that whoever can change the log cannot change. */
export interface CheckpointLocation {
  /** Takes one line of JSON, its newline with it. Resolves when it is kept there. */
  keep(line: string): Promise<void>;
  /** Told when the place fails, and with `undefined` when it works again. No call waits for it or fails with it. */
  onFailure(error: unknown): void;
}

/** Takes checkpoints to their place, one after another and in the background. */
export interface OutsideCheckpoints {
  add(signed: Signed<Checkpoint>): void;
  /** Resolves when the last one is there, or cannot be brought there in time. */
  close(): Promise<void>;
}

/** How many wait for a place that fails; of more than these the oldest go, as the later ones speak for them too. */
const waitingMax = 1000;
/** How long a stop waits for the place. */
const closeWaitMs = 5000;

export function outsideCheckpoints({ keep, onFailure }: CheckpointLocation): OutsideCheckpoints {
  const waiting: Signed<Checkpoint>[] = [];
  let isFailing = false;
  let underWay: Promise<void> | undefined;

  const bring = async (): Promise<void> => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        await keep(`${JSON.stringify(next)}\n`);
      } catch (error) {
        isFailing = true;
        onFailure(error);
        // Tried again with the next checkpoint, which is a minute away.
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
      await Promise.race([underWay, delay(closeWaitMs, undefined, { ref: false })]);
    },
  };
}

/** NONBLOCK, so that a pipe which nobody reads fails and is not waited for. */
const appendFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK;

/** A file somewhere else, to which lines are added and which nothing here ever reads or shortens. */
export async function appendLine(file: string, line: string): Promise<void> {
  const handle = await open(file, appendFlags, 0o600);
  try {
    await handle.appendFile(line);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
