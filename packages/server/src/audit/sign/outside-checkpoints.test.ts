// Threat model: T294

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint, Signed } from '@ambit/core/audit';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { appendLine, outsideCheckpoints } from './outside-checkpoints.ts';

const checkpoint = (sequence: number): Signed<Checkpoint> => ({
  statement: { type: 'ambit/checkpoint/1', logId: 'a', sequence, hash: 'sha256:0', time: '' },
  keyId: 'k',
  signature: 's',
});

test('checkpoints are appended to a file in order, for its owner alone', async () => {
  const file = join(await temporaryFolder(), 'outside.jsonl');
  const outside = outsideCheckpoints({ store: (line) => appendLine(file, line), onFailure: unexpected });
  for (const sequence of [1, 2, 3]) outside.add(checkpoint(sequence));
  await outside.close();
  expect(sequencesIn(file)).toEqual([1, 2, 3]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a failing location is reported, and gets the missing checkpoints when it works again', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'away/outside.jsonl');
  const reported: unknown[] = [];
  const failed = Promise.withResolvers<void>();
  const outside = outsideCheckpoints({
    store: (line) => appendLine(file, line),
    onFailure(error) {
      reported.push((error as NodeJS.ErrnoException | undefined)?.code);
      failed.resolve();
    },
  });
  outside.add(checkpoint(1));
  await failed.promise;
  await outside.close();
  mkdirSync(join(folder, 'away'));
  outside.add(checkpoint(2));
  await outside.close();
  expect(sequencesIn(file)).toEqual([1, 2]);
  expect(reported).toEqual(['ENOENT', undefined]);
});

test('a pipe without a reader fails instead of blocking', async () => {
  const file = join(await temporaryFolder(), 'outside.jsonl');
  execFileSync('mkfifo', [file]);
  await expect(appendLine(file, '{}\n')).rejects.toMatchObject({ code: 'ENXIO' });
});

function sequencesIn(file: string): number[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as Signed<Checkpoint>).statement.sequence);
}

function unexpected(error: unknown): never {
  throw error;
}
