// Threat model: T308, T309

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { openAuditLog } from '../open-audit-log.ts';
import { rejection } from '../testing/audit-files.ts';
import { verifyLog } from '../verify/verify-log.ts';

test.each([
  ['without a digest of its schema', "DELETE FROM meta WHERE key = 'schema'"],
  ['with another digest', "UPDATE meta SET value = 'd' WHERE key = 'schema'"],
  ['with a higher number and no digest', "DELETE FROM meta WHERE key = 'schema'; PRAGMA user_version = 2"],
  ['of the first tables', 'DROP TABLE meta; CREATE TABLE events (sequence INTEGER PRIMARY KEY)'],
])("a log %s is refused as a development version's, and unchanged", async (_, statements) => {
  const file = join(await temporaryFolder(), 'audit.db');
  await (await openAuditLog({ file })).close();
  const edited = new Sqlite(file);
  edited.exec(statements);
  edited.close();
  const before = readFileSync(file);
  const refused = {
    code: 'AUDIT_UNAVAILABLE',
    message: `${file} was written by a development version of Ambit; to start anew, export the log with that version (ambit audit backup FILE), then use a new data directory, and with store.postgres a new database`,
  };
  await expect(openAuditLog({ file })).rejects.toMatchObject(refused);
  await expect(verifyLog({ file })).rejects.toMatchObject(refused);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('each log has its own id, which its chain begins with', async () => {
  const [one, other] = [join(await temporaryFolder(), 'audit.db'), join(await temporaryFolder(), 'audit.db')];
  const position = await (await open(one)).append(rejection('a'));
  expect(position).toEqual({ sequence: 1, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(await (await open(other)).append(rejection('a'))).not.toEqual(position);
});

async function open(file: string) {
  const log = await openAuditLog({ file });
  onTestFinished(() => log.close());
  return log;
}
