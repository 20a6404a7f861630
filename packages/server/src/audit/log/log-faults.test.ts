// Threat model: T250, T308, T309, T315

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { byHand } from '../../store/testing/by-hand.ts';
import { type OpenAuditLog, openAuditLog } from '../open-audit-log.ts';
import { opened, openLog, rejection } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { requireLog } from './open-readonly.ts';

const isRoot = process.geteuid?.() === 0;
const nobody = 65534;
/** Root in a container may lack the permission. */
const mayMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;

test('a locked log refuses events, and accepts them once the lock is released', async () => {
  const { log, file } = await openLog();
  const other = new Sqlite(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(log.append(rejection('a'))).rejects.toEqual(
    unavailable(
      `the audit log ${file} cannot be written: another process has locked it; end that process ("fuser ${file}" shows it); ${tail}`,
    ),
  );
  expect(await shown(log)).toEqual([]);
  other.exec('ROLLBACK');
  other.close();
  expect(await log.append(rejection('a'))).toMatchObject({ sequence: 1 });
});

test('a log with a trigger that drops events refuses them, and accepts them without it', async () => {
  const { log, file } = await openLog();
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('CREATE TRIGGER evil BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END');
  await expect(log.append(rejection('a'))).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    cause: { message: 'SQLite did not store the event; run "ambit audit verify"' },
  });
  other.exec('DROP TRIGGER evil');
  expect(await log.append(rejection('a'))).toMatchObject({ sequence: 1 });
});

test('a read-only log is refused, and opens again once it is writable', async () => {
  const { log, folder, file } = await openLog();
  await log.close();
  chmodSync(file, 0o400);
  await unprivileged(folder, file, async () => {
    await expect(openAuditLog({ file })).rejects.toEqual(
      unavailable(
        `the audit log ${file} cannot be written: it is read-only; give Ambit's user write access to it and its folder; ${tail}`,
      ),
    );
    chmodSync(file, 0o600);
    await (await openAuditLog({ file })).close();
  });
});

test.runIf(mayMount)(
  'a full disk refuses events, keeps the earlier ones, and accepts more once there is space (needs root, to mount)',
  async () => {
    const folder = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', folder]);
    });
    const file = join(folder, 'audit.db');
    const log = await opened(file);
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(256 * 1024));
    let written = 0;
    const refusal = await (async () => {
      for (;;) await log.append(rejection(`${written + 1}`, 'x'.repeat(1000))).then(() => written++);
    })().catch((error: unknown) => error);
    expect(refusal).toEqual(
      unavailable(`the audit log ${file} cannot be written: the disk is full; free some space; ${tail}`),
    );
    expect((refusal as Error).cause).toMatchObject({ code: 'SQLITE_FULL' });
    await expect(log.requireWritable()).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    expect(await shown(log)).toEqual(downFrom(written));
    rmSync(ballast);
    await log.requireWritable();
    expect(await log.append(rejection(`${written + 1}`))).toMatchObject({ sequence: written + 1 });
    expect(await shown(log)).toEqual(downFrom(written + 1));
  },
);

test('a log whose write-ahead log was removed in use refuses events; acknowledged ones survive a restart', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  rmSync(`${file}-wal`);
  await expect(log.append(rejection('b'))).rejects.toEqual(
    unavailable(
      `the audit log ${file}-wal was removed while it was in use; put it back, or restart Ambit to use the current one`,
    ),
  );
  await log.close();
  const restarted = await opened(file);
  expect(await restarted.append(rejection('c'))).toMatchObject({ sequence: 2 });
  expect(walkLog(file).flaws).toEqual([]);
});

test('a log behind a link is written at its target', async () => {
  const { log, file, folder } = await openLog();
  await log.close();
  renameSync(file, join(folder, 'elsewhere.db'));
  symlinkSync(join(folder, 'elsewhere.db'), file);
  expect(await (await opened(file)).append(rejection('a'))).toMatchObject({ sequence: 1 });
});

test('a log that is moved away in use refuses events until it is back', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'));
  renameSync(file, `${file}.away`);
  await expect(log.append(rejection('b'))).rejects.toEqual(
    unavailable(
      `the audit log ${file} was removed while it was in use; put it back, or restart Ambit to use the current one`,
    ),
  );
  writeFileSync(file, '');
  await expect(log.append(rejection('b'))).rejects.toEqual(
    unavailable(
      `the audit log ${file} was replaced while it was in use; put it back, or restart Ambit to use the current one`,
    ),
  );
  renameSync(`${file}.away`, file);
  expect(await log.append(rejection('b'))).toMatchObject({ sequence: 2 });
  expect(await shown(log)).toEqual(['b', 'a']);
});

test('a log with a damaged page refuses events with a remedy, and accepts them once the page is restored', async () => {
  const { log, file } = await openLog();
  for (let index = 0; index < 200; index++) await log.append(rejection(`${index}`, 'x'.repeat(100)));
  await log.close();
  copyFileSync(file, `${file}.good`);
  const pages = statSync(file).size / pageBytes;
  // All but the first, without which it is not a database.
  execFileSync(
    'dd',
    [`of=${file}`, 'if=/dev/zero', `bs=${pageBytes}`, 'seek=1', `count=${pages - 1}`, 'conv=notrunc'],
    {
      stdio: 'ignore',
    },
  );
  await expect(openAuditLog({ file })).rejects.toEqual(
    unavailable(
      `the audit log ${file} cannot be written: it is damaged; stop Ambit, keep a copy of it, then restore a backup or remove it; ${tail}`,
    ),
  );
  copyFileSync(`${file}.good`, file);
  const again = await opened(file);
  expect(await again.append(rejection('after'))).toMatchObject({ sequence: 201 });
  expect(walkLog(file)).toMatchObject({ flaws: [], events: { length: 201 } });
});

test('a log that others can read is closed to them', async () => {
  const { log, file } = await openLog();
  await log.close();
  chmodSync(file, 0o644);
  await opened(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the database refuses to change or remove an event or its payload', async () => {
  const { log, file } = await openLog();
  await log.append(rejection('a'), { of: 'input', text: 'kept', isCut: false });
  const other = new Sqlite(file);
  const changes = ["UPDATE log SET body = '{}'", 'DELETE FROM log'];
  for (const sql of [...changes, "UPDATE payloads SET text = ''", 'DELETE FROM payloads'])
    expect(() => other.exec(sql)).toThrow('the audit log is append-only');
  other.close();
  expect(await shown(log)).toEqual(['a']);
});

test('a database of a newer version is refused and left unchanged', async () => {
  const { log, file } = await openLog();
  await log.close();
  byHand(file, 'PRAGMA user_version = 1000');
  const before = readFileSync(file);
  await expect(openAuditLog({ file })).rejects.toEqual(
    unavailable(
      `${file} was written by a newer Ambit (schema 1000; this one supports up to 1); use that version, or another data directory`,
    ),
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});

test.each([
  ['without a version', 'CREATE TABLE notes (text)'],
  ['with a version', 'CREATE TABLE notes (text); PRAGMA user_version = 77'],
  ['with a table that the log has too', 'CREATE TABLE meta (a); PRAGMA user_version = 1'],
])("another program's database %s is refused and left unchanged", async (_what, statements) => {
  const file = join(await temporaryFolder(), 'audit.db');
  byHand(file, statements);
  const before = readFileSync(file);
  const refusal = unavailable(`${file} is another program's database; choose another file`);
  await expect(openAuditLog({ file })).rejects.toEqual(refusal);
  expect(() => requireLog(file)).toThrow(refusal.message);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('an empty file is no log to read, and becomes one with the first call', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  writeFileSync(file, '', { mode: 0o600 });
  expect(() => requireLog(file)).toThrow(
    `the audit log ${file} is empty; the first call creates what belongs in it`,
  );
  await (await openAuditLog({ file })).close();
  expect(() => requireLog(file)).not.toThrow();
});

test('a file that is not a database, a folder in its place and a missing folder are refused with a remedy', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'text'), 'not a database at all, but long enough for SQLite to read it as one');
  mkdirSync(join(folder, 'directory'), { mode: 0o700 });
  const isRefused = async (name: string, what: string): Promise<void> => {
    const file = join(folder, name);
    await expect(openAuditLog({ file })).rejects.toEqual(
      unavailable(`the audit log ${file} cannot be written: ${what}; ${tail}`),
    );
  };
  await isRefused('text', 'it is damaged; stop Ambit, keep a copy of it, then restore a backup or remove it');
  await isRefused('directory', 'it is a directory');
  await isRefused('missing/audit.db', 'it or its folder does not exist');
});

const pageBytes = 4096;
const tail = 'calls are refused until it can be written, because each needs a record';

/** Root can write read-only files, so as root this switches to another user for a while. */
async function unprivileged(folder: string, file: string, run: () => Promise<void>): Promise<void> {
  if (isRoot) {
    for (const path of [folder, file, join(folder, 'audit-key')]) chownSync(path, nobody, nobody);
    process.seteuid?.(nobody);
  }
  try {
    await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

function unavailable(message: string) {
  return expect.objectContaining({ name: 'SkillError', code: 'AUDIT_UNAVAILABLE', message });
}

async function shown(log: OpenAuditLog): Promise<string[]> {
  const { records } = await log.query({ limit: 10_000 });
  return records.map(({ executionId }) => executionId);
}

function downFrom(last: number): string[] {
  return Array.from({ length: last }, (_, index) => String(last - index));
}
