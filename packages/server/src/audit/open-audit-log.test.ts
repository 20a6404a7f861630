// Threat model: T250

import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditLog } from '@ambit/core/audit';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openAuditLog } from './open-audit-log.ts';
import { rejection, temporaryFolder } from './testing/audit-files.ts';

test('a log that others can read is closed to them', async () => {
  const { log, file } = await openLog();
  await log.close();
  chmodSync(file, 0o644);
  await open(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the database refuses to change or remove an event', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  const other = new Sqlite(file);
  for (const sql of ["UPDATE log SET body = '{}'", 'DELETE FROM log']) {
    expect(() => other.exec(sql)).toThrow('the audit log is append-only');
  }
  other.close();
  expect(await shown(log)).toEqual(['a']);
});

test('a database of a newer version is refused and left unchanged', async () => {
  const { log, file } = await openLog();
  await log.close();
  const newer = new Sqlite(file);
  newer.pragma('user_version = 1000');
  newer.close();
  await expect(openAuditLog({ file })).rejects.toEqual(
    unavailable(
      `${file} was written by a newer Ambit (schema 1000; this one supports up to 2); use that version, or another data directory`,
    ),
  );
  const left = new Sqlite(file, { readonly: true });
  expect(left.pragma('user_version', { simple: true })).toBe(1000);
  left.close();
});

test("another program's database is refused and left unchanged", async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const other = new Sqlite(file);
  other.exec('CREATE TABLE notes (text)');
  other.close();
  await expect(openAuditLog({ file })).rejects.toEqual(
    unavailable(`${file} is a database of another program; choose another file`),
  );
});

test('a file that is not a database, a folder in its place and a missing folder are refused with a remedy', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'text'), 'not a database at all, but long enough for SQLite to read it as one');
  mkdirSync(join(folder, 'directory'), { mode: 0o700 });
  const says = async (name: string, what: string): Promise<void> => {
    const file = join(folder, name);
    await expect(openAuditLog({ file })).rejects.toEqual(
      unavailable(`the audit log ${file} cannot be written: ${what}; ${tail}`),
    );
  };
  await says('text', 'it is damaged; stop Ambit, keep a copy of it, then restore a backup or remove it');
  await says('directory', 'it is a directory');
  await says('missing/audit.db', 'it or its folder does not exist');
});

const tail = 'calls are refused until it can be written, because each needs a record';

function unavailable(message: string) {
  return expect.objectContaining({ name: 'SkillError', code: 'AUDIT_UNAVAILABLE', message });
}

async function openLog(): Promise<{ log: AuditLog; folder: string; file: string }> {
  const folder = temporaryFolder();
  const file = join(folder, 'audit.db');
  return { log: await open(file), folder, file };
}

async function open(file: string): Promise<AuditLog> {
  const log = await openAuditLog({ file });
  onTestFinished(() => log.close());
  return log;
}

async function shown(log: AuditLog): Promise<string[]> {
  const { records } = await log.query({ limit: 10_000 });
  return records.map(({ executionId }) => executionId);
}
