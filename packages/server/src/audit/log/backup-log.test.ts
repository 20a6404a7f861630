import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { byHand } from '../../store/testing/by-hand.ts';
import { openLog, rejection } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { backupLog } from './backup-log.ts';

test('a copy made during writes is of one moment, valid, private and a single file', async () => {
  const { log, file, folder } = await openLog();
  for (let index = 0; index < 5000; index++) void log.append(rejection(`before-${index}`));
  await log.append(rejection('last before'));
  let isDone = false;
  const writing = (async () => {
    for (let index = 0; !isDone; index++) await log.append(rejection(`during-${index}`));
  })();
  const to = join(folder, 'copies.db');
  const backup = await backupLog({ file, to }).finally(() => {
    isDone = true;
  });
  await writing;
  const { events, flaws } = walkLog(to);
  expect({ flaws, last: events.at(-1)?.sequence }).toEqual({ flaws: [], last: backup.sequence });
  expect(backup.sequence).toBeGreaterThanOrEqual(5001);
  expect(walkLog(file).events.length).toBeGreaterThan(events.length);
  expect(statSync(to)).toMatchObject({ size: backup.bytes, mode: 0o100600 });
  expect(readdirSync(folder).filter((name) => name.startsWith('copies'))).toEqual(['copies.db']);
});

test('an existing file is not overwritten', async () => {
  const { file, folder } = await openLog();
  const to = join(folder, 'taken');
  writeFileSync(to, 'mine');
  await expect(backupLog({ file, to })).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: `${to} already exists, and a backup overwrites no file; choose another name`,
  });
  expect(statSync(to).size).toBe(4);
});

test("an empty file and another program's database are no log to copy", async () => {
  const { folder } = await openLog();
  const to = join(folder, 'copy.db');
  const file = join(folder, 'other.db');
  writeFileSync(file, '');
  await expect(backupLog({ file, to })).rejects.toMatchObject({
    message: `the audit log ${file} is empty; the first call creates what belongs in it`,
  });
  byHand(file, 'CREATE TABLE log (sequence INTEGER, hash BLOB)');
  await expect(backupLog({ file, to })).rejects.toMatchObject({
    message: `${file} is another program's database; choose another file`,
  });
  expect(existsSync(to)).toBe(false);
});

test('a missing log, or a missing target folder, leaves no copy', async () => {
  const { file, folder } = await openLog();
  const to = join(folder, 'copy.db');
  await expect(backupLog({ file: join(folder, 'none.db'), to })).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
  });
  expect(existsSync(to)).toBe(false);
  await expect(backupLog({ file, to: join(folder, 'none', 'copy.db') })).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
  });
});
