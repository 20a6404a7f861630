import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { watchConfig } from './watch-config.ts';

const intervalMs = 5;

async function watched(
  loadedAt: (file: string) => Promise<number>,
): Promise<{ file: string; changes: () => number }> {
  const file = join(await temporaryFolder(), 'file');
  const since = await loadedAt(file);
  let changes = 0;
  const stop = watchConfig({ file, watchConfig: true }, () => changes++, { loadedAt: since, intervalMs });
  onTestFinished(stop);
  return { file, changes: () => changes };
}

const later = Number.MAX_SAFE_INTEGER;

test('reports that a file is changed, replaced, removed and created', async () => {
  const { file, changes } = await watched(async (path) => {
    await writeFile(path, 'one');
    return later;
  });
  const steps = [
    async () => {
      await writeFile(`${file}.new`, 'replaced');
      await rename(`${file}.new`, file);
    },
    () => rm(file),
    () => writeFile(file, 'created'),
  ];
  // The first check reads the state of the file, and a write before it is no change.
  await vi.waitUntil(async () => {
    await writeFile(file, `${Math.random()}`);
    return changes() > 0;
  });
  for (const step of steps) {
    const before = changes();
    await step();
    await vi.waitUntil(() => changes() > before);
  }
});

test('reports a change between loading the file and the first check', async () => {
  const { changes } = await watched(async (path) => {
    await writeFile(path, 'loaded');
    return 0;
  });
  await vi.waitUntil(() => changes() === 1);
});

test('reports that a file is missing at the first check', async () => {
  const { changes } = await watched(async () => later);
  await vi.waitUntil(() => changes() === 1);
});
