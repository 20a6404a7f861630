// Threat model: T306, T312

import { chmodSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { byHand } from '../../store/testing/by-hand.ts';
import { rotateKey } from '../log/rotate-key.ts';
import { openAuditLog } from '../open-audit-log.ts';

let folder: string;
let file: string;
let key: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  [file, key] = [join(folder, 'audit.db'), join(folder, 'audit-key')];
  await openAndClose();
});

async function openAndClose(): Promise<void> {
  await (await openAuditLog({ file })).close();
}

test('the key is created with the log, for its owner alone, and used again', async () => {
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const made = readFileSync(key, 'utf8');
  await openAndClose();
  expect(readFileSync(key, 'utf8')).toBe(made);
});

test('publishing the public key overwrites nothing behind a link', async () => {
  const victim = join(await temporaryFolder(), 'victim');
  writeFileSync(victim, 'whole');
  rmSync(`${key}.pub`);
  symlinkSync(victim, `${key}.pub`);
  rmSync(file);
  rmSync(key);
  await expect(openAuditLog({ file })).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: expect.stringContaining('ELOOP'),
  });
  expect(readFileSync(victim, 'utf8')).toBe('whole');
});

describe('a log is refused without its key', () => {
  test.each<[string, () => void, RegExp]>([
    [
      'that is missing',
      () => rmSync(key),
      /is missing; restore a copy of it, or, .* "ambit audit rotate-key --lost"$/,
    ],
    ['that others can read', () => chmodSync(key, 0o644), /other users can access it; run "chmod 600 /],
    [
      'that is a link',
      () => {
        renameSync(key, `${key}.real`);
        symlinkSync(`${key}.real`, key);
      },
      /it is a symbolic link/,
    ],
  ])('%s', async (_which, change, message) => {
    change();
    await expect(openAuditLog({ file })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringMatching(message),
    });
  });

  test('if every trace of it is missing too, unless it is declared lost', async () => {
    const log = await openAuditLog({ file });
    await log.append({ kind: 'daemon.stopped', time: 1, reason: 'test' });
    await log.close();
    byHand(file, 'DELETE FROM keys; DELETE FROM checkpoints');
    for (const path of [key, `${key}.pub`]) rmSync(path);
    await expect(openAuditLog({ file })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringMatching(/\(its table of keys is empty\) is unknown; restore a copy of it/),
    });
    expect(rotateKey({ file, isLost: true })).toMatchObject({ from: 'unknown' });
    await openAndClose();
  });

  test('that was replaced, until the right one is back', async () => {
    const other = join(await temporaryFolder(), 'audit.db');
    await (await openAuditLog({ file: other })).close();
    renameSync(key, `${key}.away`);
    renameSync(join(other, '../audit-key'), key);
    await expect(openAuditLog({ file })).rejects.toMatchObject({
      message: expect.stringMatching(/is a different key \([0-9a-f]{64}\); restore a copy of it/),
    });
    renameSync(`${key}.away`, key);
    await openAndClose();
  });
});

describe('a rotation', () => {
  test('replaces the key, and the log continues with the new one', async () => {
    const before = readFileSync(key, 'utf8');
    const { from, to } = rotateKey({ file, isLost: false });
    expect(from).not.toBe(to);
    expect(readFileSync(key, 'utf8')).not.toBe(before);
    await openAndClose();
  });

  test('that was interrupted before the key was in place is completed by the next start', async () => {
    const before = readFileSync(key, 'utf8');
    rotateKey({ file, isLost: false });
    renameSync(key, `${key}.next`);
    writeFileSync(key, before, { mode: 0o600 });
    const next = readFileSync(`${key}.next`, 'utf8');
    await openAndClose();
    expect(readFileSync(key, 'utf8')).toBe(next);
  });

  test('needs the old key unless it is lost, and an existing key is not lost', async () => {
    expect(() => rotateKey({ file, isLost: true })).toThrow('exists, so it is not lost');
    rmSync(key);
    expect(() => rotateKey({ file, isLost: false })).toThrow('is missing');
    rotateKey({ file, isLost: true });
    await openAndClose();
  });
});
