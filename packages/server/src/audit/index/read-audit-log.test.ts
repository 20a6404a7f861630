import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { byHand } from '../../store/testing/by-hand.ts';
import { openAuditLog } from '../open-audit-log.ts';
import { rejection } from '../testing/audit-files.ts';
import { readAuditLog } from './read-audit-log.ts';

test('reading does not delay a writer', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  const log = await openAuditLog({ file });
  const other = new Sqlite(file, { readonly: true });
  other.exec('BEGIN');
  other.prepare('SELECT count(*) FROM log').get();
  expect(await log.append(rejection('a'))).toMatchObject({ sequence: 1 });
  other.close();
  await log.close();
});

test('reading a missing log does not create it', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  await expect(readAuditLog({ file })).rejects.toEqual(
    expect.objectContaining({
      code: 'AUDIT_UNAVAILABLE',
      message: `the audit log ${file} does not exist yet; the first call creates it`,
    }),
  );
  await expect(readAuditLog({ file })).rejects.toThrow(/does not exist yet/);
});

test('a log of a newer version is refused', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  await (await openAuditLog({ file })).close();
  byHand(file, 'PRAGMA user_version = 1000');
  await expect(readAuditLog({ file })).rejects.toThrow(/was written by a newer Ambit/);
});

test('a log closed during a query is closed before the process ends', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  await (await openAuditLog({ file })).close();
  const script = `
    import { readAuditLog } from ${JSON.stringify(join(import.meta.dirname, 'read-audit-log.ts'))};
    const log = await readAuditLog({ file: ${JSON.stringify(file)} });
    log.count({}).catch((error) => console.log(error.code));
    await log.close();
    console.log('closed');
  `;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'AUDIT_UNAVAILABLE\nclosed\n' });
});
