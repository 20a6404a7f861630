import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { AuditLog } from '@ambit/core';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteAuditLog } from './sqlite-audit-log.ts';
import { rejection, temporaryFolder } from './testing/audit-files.ts';

const isRoot = process.geteuid?.() === 0;
const nobody = 65534;
/** Root in a container may lack the right. */
const mayMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;

test('the log and what SQLite makes beside it are for their owner alone', async () => {
  const { log, folder } = await openLog();
  await log.append(rejection('a'));
  const modes = readdirSync(folder).map((name) => [
    name,
    (statSync(join(folder, name)).mode & 0o777).toString(8),
  ]);
  expect(modes).toEqual([
    ['audit.db', '600'],
    ['audit.db-shm', '600'],
    ['audit.db-wal', '600'],
  ]);
});

test('a log that others could read is taken from them', async () => {
  const { log, file } = await openLog();
  await log.close();
  chmodSync(file, 0o644);
  await open(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('what was written is there when the log is opened again, and numbering goes on', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  await log.close();
  const again = await open(file);
  expect(await again.append(rejection('b'))).toEqual({ sequence: 2 });
  expect(await shown(again)).toEqual(['b', 'a']);
});

test('what was acknowledged can be read by others at once, though the log is still open', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  const other = new Sqlite(file, { readonly: true });
  expect(other.prepare('SELECT sequence, kind, execution_id, opens, outcome FROM events').all()).toEqual([
    { sequence: 1, kind: 'auth.rejected', execution_id: 'a', opens: 1, outcome: 'denied' },
  ]);
  other.close();
});

test('the database itself refuses to change or remove an event', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  const other = new Sqlite(file);
  for (const sql of ["UPDATE events SET body = '{}'", 'DELETE FROM events']) {
    expect(() => other.exec(sql)).toThrow('the audit log is append-only');
  }
  other.close();
  expect(await shown(log)).toEqual(['a']);
});

test('a database of a newer version is refused and left as it is', async () => {
  const { log, file } = await openLog();
  await log.close();
  const newer = new Sqlite(file);
  newer.pragma('user_version = 1000');
  newer.close();
  expect(() => sqliteAuditLog({ file })).toThrow(
    unavailable(
      `${file} was written by a newer Ambit (its schema is 1000, this one knows up to 1): use that version, or another data directory`,
    ),
  );
  const left = new Sqlite(file, { readonly: true });
  expect(left.pragma('user_version', { simple: true })).toBe(1000);
  left.close();
});

test("another program's database is refused and left as it is", () => {
  const file = join(temporaryFolder(), 'audit.db');
  const other = new Sqlite(file);
  other.exec('CREATE TABLE notes (text)');
  other.close();
  expect(() => sqliteAuditLog({ file })).toThrow(
    unavailable(`${file} is a database of another program; name another file`),
  );
});

test('a file that is no database, a folder in its place and a missing folder are refused with what to do', () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'text'),
    'no database at all, but long enough to be looked at as one, as SQLite does',
  );
  mkdirSync(join(folder, 'directory'), { mode: 0o700 });
  const says = (name: string, what: string): void => {
    const file = join(folder, name);
    expect(() => sqliteAuditLog({ file })).toThrow(
      unavailable(`the audit log ${file} cannot be written: ${what}; ${tail}`),
    );
  };
  says('text', 'it is damaged; stop Ambit, keep a copy of it, and put a backup or nothing in its place');
  says('directory', 'it is a directory');
  says('missing/audit.db', 'it is not there, or its folder is not');
});

test('a log that another process has locked refuses events, and takes them again afterwards', async () => {
  const { log, file } = await openLog();
  const other = new Sqlite(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(log.append(rejection('a'))).rejects.toEqual(
    unavailable(
      `the audit log ${file} cannot be written: another process has locked it; close that one (fuser ${file} names it); ${tail}`,
    ),
  );
  expect(await shown(log)).toEqual([]);
  other.exec('ROLLBACK');
  other.close();
  expect(await log.append(rejection('a'))).toEqual({ sequence: 1 });
});

test('a read-only log is refused when it is opened, and opens again when it can be written', async () => {
  const { log, folder, file } = await openLog();
  await log.close();
  chmodSync(file, 0o400);
  unprivileged(folder, file, () => {
    expect(() => sqliteAuditLog({ file })).toThrow(
      unavailable(
        `the audit log ${file} cannot be written: it is read-only here; give the user that Ambit runs as the right to write it and its folder; ${tail}`,
      ),
    );
    chmodSync(file, 0o600);
    void sqliteAuditLog({ file }).close();
  });
});

test.runIf(mayMount)(
  'a full disk refuses events, keeps those it has, and takes more when there is space',
  async () => {
    const folder = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder]);
    });
    const file = join(folder, 'audit.db');
    const log = await open(file);
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(256 * 1024));
    let written = 0;
    const refusal = await (async () => {
      for (;;) await log.append(rejection(`${written + 1}`, 'x'.repeat(1000))).then(() => written++);
    })().catch((error: unknown) => error);
    expect(refusal).toEqual(
      unavailable(
        `the audit log ${file} cannot be written: the disk is full; free some space there; ${tail}`,
      ),
    );
    expect((refusal as Error).cause).toBeInstanceOf(Sqlite.SqliteError);
    expect(await shown(log)).toEqual(downFrom(written));
    rmSync(ballast);
    expect(await log.append(rejection(`${written + 1}`))).toEqual({ sequence: written + 1 });
    expect(await shown(log)).toEqual(downFrom(written + 1));
  },
);

test('a log that is moved away in use refuses events until it is back', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  renameSync(file, `${file}.away`);
  await expect(log.append(rejection('b'))).rejects.toEqual(
    unavailable(
      `the audit log ${file} was removed while it was in use: put it back, or restart Ambit to go on with what is there now`,
    ),
  );
  writeFileSync(file, '');
  await expect(log.append(rejection('b'))).rejects.toEqual(
    unavailable(
      `the audit log ${file} was replaced while it was in use: put it back, or restart Ambit to go on with what is there now`,
    ),
  );
  renameSync(`${file}.away`, file);
  expect(await log.append(rejection('b'))).toEqual({ sequence: 2 });
  expect(await shown(log)).toEqual(['b', 'a']);
});

const tail = 'nothing runs without a record, and calls work again as soon as it can be written';

/** Root may write what is read-only, so as root this becomes somebody else for a while. */
function unprivileged(folder: string, file: string, run: () => void): void {
  if (isRoot) {
    for (const path of [folder, file]) chownSync(path, nobody, nobody);
    process.seteuid?.(nobody);
  }
  try {
    run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

function unavailable(message: string) {
  return expect.objectContaining({ name: 'SkillError', code: 'AUDIT_UNAVAILABLE', message });
}

async function openLog(): Promise<{ log: AuditLog; folder: string; file: string }> {
  const folder = temporaryFolder();
  const file = join(folder, 'audit.db');
  return { log: await open(file), folder, file };
}

async function open(file: string): Promise<AuditLog> {
  const log = sqliteAuditLog({ file });
  onTestFinished(() => log.close());
  return log;
}

async function shown(log: AuditLog): Promise<string[]> {
  const { records } = await log.query({ limit: 10_000 });
  return records.map(({ executionId }) => executionId);
}

function downFrom(last: number): string[] {
  return Array.from({ length: last }, (_, index) => String(last - index));
}
