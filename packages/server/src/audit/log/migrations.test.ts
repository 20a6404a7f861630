// Threat model: T308, T309

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openAuditLog } from '../open-audit-log.ts';
import { beginning, ending, rejection, temporaryFolder } from '../testing/audit-files.ts';
import { firstSchemaLog } from '../testing/first-schema.ts';
import { walkLog } from '../testing/walk-log.ts';

const old = [
  beginning('a'),
  rejection('b'),
  ending('a'),
  beginning('c'),
  rejection('d', 'half a \ud83e fox'),
];

test('a log of the first version is upgraded: it has every event, chained, and its open records', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  firstSchemaLog(file, old);
  const log = await open(file);
  const { events, flaws } = walkLog(file);
  expect(flaws).toEqual([]);
  expect(events.map(({ event }) => event)).toEqual([
    ...old.slice(0, 4),
    // The only characters without UTF-8, also when they were written.
    rejection('d', 'half a \ufffd fox'),
  ]);
  expect(await log.interruptOpen(3000)).toBe(1);
  expect(await log.append(rejection('e'))).toMatchObject({ sequence: 7 });
  expect(walkLog(file)).toMatchObject({ flaws: [] });
});

test('ten thousand events are upgraded in order', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  const many = Array.from({ length: 10_000 }, (_, index) => rejection(`${index}`));
  firstSchemaLog(file, many);
  await open(file);
  const { events, flaws } = walkLog(file);
  expect({ flaws, ids: events.map(({ event }) => event.executionId) }).toEqual({
    flaws: [],
    ids: many.map(({ executionId }) => executionId),
  });
});

test('a log that cannot be upgraded is left unchanged', async () => {
  const file = join(temporaryFolder(), 'audit.db');
  firstSchemaLog(file, old);
  const broken = new Sqlite(file);
  broken.exec("INSERT INTO events (time, kind, opens, body) VALUES (1, 'x', 0, 'no JSON')");
  broken.close();
  await expect(openAuditLog({ file })).rejects.toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    message: expect.stringContaining('event 6 of the older log cannot be read'),
  });
  const left = new Sqlite(file, { readonly: true });
  onTestFinished(() => void left.close());
  expect(left.pragma('user_version', { simple: true })).toBe(1);
  expect(left.prepare('SELECT count(*) FROM events').pluck().get()).toBe(6);
  expect(left.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'log'").pluck().get()).toBe(0);
});

test('each log has its own id, which its chain begins with', async () => {
  const [one, other] = [join(temporaryFolder(), 'audit.db'), join(temporaryFolder(), 'audit.db')];
  const position = await (await open(one)).append(rejection('a'));
  expect(position).toEqual({ sequence: 1, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(await (await open(other)).append(rejection('a'))).not.toEqual(position);
});

async function open(file: string) {
  const log = await openAuditLog({ file });
  onTestFinished(() => log.close());
  return log;
}
