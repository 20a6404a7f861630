import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';

/**
 * Folders that are filled once for all tests of a file, because opening a log starts threads. Call
 * it outside of tests; the returned function copies a folder for a test.
 */
export function foldersToCopy(): (
  name: string,
  fill: (folder: string) => Promise<unknown>,
) => Promise<string> {
  const filled = new Map<string, Promise<string>>();
  afterAll(async () => {
    for (const folder of await Promise.all(filled.values())) rmSync(folder, { recursive: true, force: true });
  });
  return async (name, fill) => {
    const folder = filled.get(name) ?? fillNew(fill);
    filled.set(name, folder);
    const copy = await temporaryFolder();
    cpSync(await folder, copy, { recursive: true });
    return copy;
  };
}

async function fillNew(fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-audit-'));
  await fill(folder);
  return folder;
}
