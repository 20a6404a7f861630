import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { type AuditReader, readAuditLog } from './read-audit-log.ts';
import { sqliteAuditLog } from './sqlite-audit-log.ts';
import { rejection, temporaryFolder } from './testing/audit-files.ts';

test('a log is read while another has it open for writing, and shows what came since', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const log = sqliteAuditLog({ file });
  await log.append(rejection('a'));
  const reader = open(file);
  expect(await ids(reader)).toEqual(['a']);
  await log.append(rejection('b'));
  expect(await ids(reader)).toEqual(['b', 'a']);
  await log.close();
});

test('a log is read while nobody writes to it', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const log = sqliteAuditLog({ file });
  await log.append(rejection('a'));
  await log.close();
  expect(await ids(open(file))).toEqual(['a']);
});

test('reading holds up no writer', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const log = sqliteAuditLog({ file });
  const other = new Sqlite(file, { readonly: true });
  other.exec('BEGIN');
  other.prepare('SELECT count(*) FROM events').get();
  expect(await log.append(rejection('a'))).toEqual({ sequence: 1 });
  other.close();
  await log.close();
});

test('a log that is not there is not made by asking for it', () => {
  const file = join(temporaryFolder(), 'audit.db');
  expect(() => readAuditLog({ file })).toThrow(
    expect.objectContaining({
      code: 'AUDIT_UNAVAILABLE',
      message: `there is no audit log ${file} yet; the first call begins it`,
    }),
  );
  expect(() => readAuditLog({ file })).toThrow(/there is no audit log/);
});

test('a log of a newer version is refused', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  await sqliteAuditLog({ file }).close();
  const newer = new Sqlite(file);
  newer.pragma('user_version = 1000');
  newer.close();
  expect(() => readAuditLog({ file })).toThrow(/was written by a newer Ambit/);
});

function open(file: string): AuditReader {
  const reader = readAuditLog({ file });
  onTestFinished(() => reader.close());
  return reader;
}

async function ids(reader: AuditReader): Promise<string[]> {
  const { records } = await reader.query({ limit: 10 });
  return records.map(({ executionId }) => executionId);
}
