import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/**
 * NONBLOCK fails for a pipe in place of the draft instead of waiting; NOFOLLOW does not overwrite
 * the target of a link.
 */
const draftFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** The complete next content of a file, on disk beside it. Use one of its two methods. */
export interface DurableDraft {
  /** Replaces the file in one step, which needs no more space. If that fails, the file is unchanged and the draft removed. */
  commit(): Promise<void>;
  /** Removes the draft. */
  discard(): Promise<void>;
}

/** Writes the next content of a file to a draft. If that fails, the draft is removed. See `writeDurably`. */
export async function draftDurably(
  file: string,
  content: string | Uint8Array,
  mode = 0o600,
): Promise<DurableDraft> {
  const draft = `${file}.new`;
  const discard = (): Promise<void> => rm(draft, { force: true }).catch(() => undefined);
  const orDiscard = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      await discard();
      throw error;
    }
  };
  await orDiscard(async () => {
    const handle = await open(draft, draftFlags, mode);
    try {
      await writeWhole(handle, typeof content === 'string' ? Buffer.from(content) : content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
  return { commit: () => orDiscard(() => rename(draft, file)), discard };
}

/**
 * Writes a file, closed to other users unless `mode` says otherwise. After a crash there is either the previous file or the
 * complete new one. If writing fails, the previous file stays and the draft is removed.
 */
export async function writeDurably(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const draft = await draftDurably(file, content, mode);
  await draft.commit();
}

/**
 * Writes everything in one call. `writeFile` yields to the event loop after every 512 KiB, which
 * takes a minute for a large file while the loop is busy.
 */
async function writeWhole(handle: FileHandle, content: Uint8Array): Promise<void> {
  for (let rest = content; rest.length > 0; ) {
    const { bytesWritten } = await handle.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

/**
 * Makes the content of a file or the names in a folder durable. Blocks, for callers that work
 * sequentially anyway.
 */
export function syncPath(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
