import { randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';

/** Writes a file atomically: readers see the old text or the new one. The mode is preserved. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const before = await stat(path).catch(() => undefined);
  try {
    await writeFile(draft, text, { flag: 'wx', mode: before === undefined ? 0o644 : before.mode & 0o777 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
