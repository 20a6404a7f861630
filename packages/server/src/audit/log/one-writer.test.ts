// Threat model: T308, T309, T313

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { beginning, opened, rejection } from '../testing/audit-files.ts';
import { walkLog } from '../testing/walk-log.ts';
import { openLogFile } from './open-log-file.ts';

test('a log opened by two processes accepts events only from the one that opened it last', async () => {
  const file = join(await temporaryFolder(), 'audit.db');
  const first = await processWriting(file);
  expect(await first.append(rejection('a'))).toBe('1');
  const log = await opened(file);
  const refused = `AUDIT_UNAVAILABLE: another Ambit has taken over the audit log ${file}, so this one writes nothing more; stop one of the two and restart the other`;
  expect(await first.append(rejection('b'))).toBe(refused);
  expect(await log.append(rejection('c'))).toMatchObject({ sequence: 2 });
  expect(await first.append(beginning('d'))).toBe(refused);
  await first.end();
  const { events, flaws } = walkLog(file);
  expect({ flaws, ids: events.map(({ event }) => event.executionId) }).toEqual({
    flaws: [],
    ids: ['a', 'c'],
  });
});

const changes = [
  "INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (2, 'b', 1, '{}', x'00')",
  'DELETE FROM log',
  "INSERT INTO payloads (sequence, side, text, is_cut) VALUES (2, 'input', 'x', 0)",
  'DELETE FROM payloads',
  "INSERT OR IGNORE INTO checkpoints (sequence, signed) VALUES (1, '{}')",
  "INSERT OR REPLACE INTO meta (key, value) VALUES ('events_pruned_through', '1')",
  "UPDATE meta SET value = '1' WHERE key = 'log_id'",
  "DELETE FROM meta WHERE key = 'log_id'",
  "INSERT OR REPLACE INTO keys (key_id, public_key, since) VALUES ('k', 'p', 1)",
  "INSERT INTO open_records (execution_id, sequence) VALUES ('b', 2)",
  'DELETE FROM open_records',
];

test.each(changes)('SQLite refuses a former writer: %s', async (sql) => {
  const file = join(await temporaryFolder(), 'audit.db');
  const database = openLogFile(file);
  onTestFinished(() => void database.close());
  database.exec(`
    INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (1, 'a', 1, '{}', x'00');
    INSERT INTO payloads (sequence, side, text, is_cut) VALUES (1, 'input', 'x', 0);
    INSERT INTO open_records (execution_id, sequence) VALUES ('a', 1);
    INSERT INTO meta (key, value) VALUES ('events_pruned_through', '1'), ('payloads_pruned_through', '1');`);
  // Its twin: the current writer may do the same.
  database.exec(`BEGIN; ${sql}; ROLLBACK`);
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  const everything = () =>
    ['log', 'payloads', 'checkpoints', 'meta', 'keys', 'open_records'].map((table) =>
      other.prepare(`SELECT * FROM ${table}`).all(),
    );
  other.exec("UPDATE meta SET value = 'another' WHERE key = 'writer'");
  const before = everything();
  expect(() => database.exec(sql)).toThrow('this audit log has another writer');
  expect(everything()).toEqual(before);
});

/** A process that has the log open, like a daemon that has lost its lock. */
async function processWriting(file: string) {
  const script = `
    import { createInterface } from 'node:readline';
    import { openAuditLog } from ${JSON.stringify(join(import.meta.dirname, '../open-audit-log.ts'))};
    const log = await openAuditLog({ file: ${JSON.stringify(file)} });
    const errorText = ({ code, message }) => code + ': ' + message;
    console.log('open');
    for await (const line of createInterface({ input: process.stdin }))
      console.log(await log.append(JSON.parse(line)).then(({ sequence }) => sequence, errorText));
    await log.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? 'ended';
  await next();
  return {
    append(event: object) {
      child.stdin.write(`${JSON.stringify(event)}\n`);
      return next();
    },
    async end() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
