// Threat model: T431

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeTurn } from './turn.ts';

function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-turn-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('one process at a time has each turn for a data directory', async () => {
  const folder = dataDir();
  const first = await takeTurn(folder, 'start');
  expect(await takeTurn(folder, 'start')).toBe(undefined);
  expect(await takeTurn(folder, 'config')).not.toBe(undefined);
  expect(await takeTurn(dataDir(), 'start')).not.toBe(undefined);
  first?.release();
  expect(await takeTurn(folder, 'start')).not.toBe(undefined);
});

test('a data directory that cannot be used is refused with what to do', async () => {
  const folder = join(dataDir(), 'file');
  writeFileSync(folder, '');
  const refusal = {
    code: 'AUDIT_UNAVAILABLE',
    message: expect.stringContaining("give Ambit's user write access"),
  };
  await expect(takeTurn(folder, 'start')).rejects.toMatchObject(refusal);
});
