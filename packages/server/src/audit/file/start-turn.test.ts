// Threat model: T431

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeStartTurn } from './start-turn.ts';

function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-turn-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('one process at a time has the turn to start the daemon of a data directory', async () => {
  const folder = dataDir();
  const first = await takeStartTurn(folder);
  expect(await takeStartTurn(folder)).toBe(undefined);
  expect(await takeStartTurn(dataDir())).not.toBe(undefined);
  first?.release();
  expect(await takeStartTurn(folder)).not.toBe(undefined);
});

test('a data directory that cannot be used is refused with what to do', async () => {
  const folder = join(dataDir(), 'file');
  writeFileSync(folder, '');
  const refusal = {
    code: 'AUDIT_UNAVAILABLE',
    message: expect.stringContaining("give Ambit's user write access"),
  };
  await expect(takeStartTurn(folder)).rejects.toMatchObject(refusal);
});
