import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@ambit/runtime';

/** The file with the reason of a failed start, for the commands that wait for the same start. */
function failureFile(dataDir: string): string {
  return join(dataDir, 'daemon.failed');
}

/** Records a failed start. A command that cannot write it leaves the others to try themselves. */
export async function recordStartFailure(dataDir: string, message: string): Promise<void> {
  await writeDurably(failureFile(dataDir), message).catch(() => undefined);
}

export async function clearStartFailure(dataDir: string): Promise<void> {
  await rm(failureFile(dataDir), { force: true });
}

/** The reason of a start that failed after `time`, in milliseconds since 1970; `undefined`: none did. */
export async function startFailureSince(dataDir: string, time: number): Promise<string | undefined> {
  try {
    const file = failureFile(dataDir);
    return (await stat(file)).mtimeMs >= time ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
