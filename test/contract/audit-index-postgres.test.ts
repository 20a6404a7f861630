// Threat model: T271

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AuditLog } from '../../packages/core/src/audit.ts';
import { rejection, started } from '../../packages/server/src/audit/testing/audit-files.ts';
import { backupLog, openAuditLog, readAuditLog } from '../../packages/server/src/index.ts';
import {
  asAdministrator,
  inDatabase,
  postgresDatabase,
  socketVariable,
} from '../../packages/server/src/store/testing/postgres-databases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';

type Settings = Awaited<ReturnType<typeof postgresDatabase>>;

/** A call of this skill. */
const withSkill = (id: string) => ({
  skill: { id, version: null, digest: 'sha256:d', tier: 'local' } as const,
});

describe.runIf(process.env[socketVariable] !== undefined)('the audit index in PostgreSQL', () => {
  test('the index is in the database only, and is reused without a note', async () => {
    const postgres = await postgresDatabase();
    const file = await logOf(3, postgres);
    expect(existsSync(join(file, '..', 'audit-index.db'))).toBe(false);
    const log = await opened(file, postgres);
    expect(await ids(log)).toEqual(['e3', 'e2', 'e1']);
    expect(log.notes).toEqual([]);
    expect(await inDatabase(postgres, 'SELECT count(*) AS calls FROM ambit_audit.calls')).toEqual([
      { calls: '3' },
    ]);
  });

  test.each([
    ['of another log', "UPDATE ambit_audit.meta SET log_id = 'x'", /belongs to another log/],
    ['that is ahead of the log', 'UPDATE ambit_audit.meta SET through = 999', /has more events/],
    ['of a replaced log', "UPDATE ambit_audit.meta SET hash = '00'", /the log was replaced/],
  ])('an index %s is rebuilt, with a note', async (_, spoil, why) => {
    const postgres = await postgresDatabase();
    const file = await logOf(30, postgres);
    await inDatabase(postgres, `${spoil}; DELETE FROM ambit_audit.calls WHERE sequence < 20`);
    const log = await opened(file, postgres);
    expect((await ids(log)).length).toBe(30);
    expect(log.notes).toEqual([expect.stringMatching(why)]);
  });

  test('the index can hide records from queries if it is changed, but invents none, and exports have all', async () => {
    const postgres = await postgresDatabase();
    const log = await opened(join(await temporaryFolder(), 'audit.db'), postgres);
    for (const id of ['e1', 'e2']) await log.append(started(id));
    expect(await ids(log, { skill: 's' })).toEqual(['e2', 'e1']);
    await inDatabase(postgres, `UPDATE ambit_audit.kinds SET skill = '"other"'`);
    expect([await ids(log, { skill: 's' }), await ids(log, { skill: 'other' })]).toEqual([[], []]);
    expect(await exported(log)).toEqual(['e1', 'e2']);
  });

  test('the index is rebuilt if it is dropped while it is used', async () => {
    const postgres = await postgresDatabase();
    const log = await opened(await logOf(3, postgres), postgres);
    expect(await ids(log)).toEqual(['e3', 'e2', 'e1']);
    await inDatabase(postgres, 'DROP SCHEMA ambit_audit CASCADE');
    expect(await ids(log)).toEqual(['e3', 'e2', 'e1']);
    await log.append(rejection('e4'));
    expect(await log.count({})).toBe(4);
  });

  test('two logs in one database never get each other’s answers', async () => {
    const postgres = await postgresDatabase();
    const [one, other] = [
      await opened(await logOf(3, postgres), postgres),
      await opened(await logOf(5, postgres), postgres),
    ];
    for (let round = 0; round < 3; round += 1) {
      expect(await one.count({})).toBe(3);
      expect(await other.count({})).toBe(5);
    }
  });

  test('never answers for a copy of the log, which has the same id and other events', async () => {
    const postgres = await postgresDatabase();
    const one = await opened(await logOf(3, postgres), postgres);
    const folder = await temporaryFolder();
    await backupLog({ file: one.file, to: join(folder, 'audit.db') });
    for (const name of ['audit-key', 'audit-key.pub'])
      await copyFile(join(one.file, '..', name), join(folder, name));
    const copy = await opened(join(folder, 'audit.db'), postgres);
    await one.append(started('a4', withSkill('a')));
    for (const id of ['b4', 'b5']) await copy.append(started(id, withSkill('b')));
    for (let round = 0; round < 3; round += 1) {
      expect(await one.count({ skill: 'a' })).toBe(1);
      expect(await ids(copy, { skill: 'b' })).toEqual(['b5', 'b4']);
      expect(await ids(one, { skill: 'a' })).toEqual(['a4']);
      expect((await copy.stats({ skill: 'b' })).all.calls).toBe(2);
    }
  });

  test.each(['texts', 'calls', 'meta'])('is rebuilt if its table %s was dropped', async (table) => {
    const postgres = await postgresDatabase();
    const log = await opened(await logOf(3, postgres), postgres);
    expect(await log.count({})).toBe(3);
    await inDatabase(postgres, `DROP TABLE ambit_audit.${table} CASCADE`);
    expect(await ids(log, { text: 'needle' })).toEqual([]);
    await log.append(started('e4'), { of: 'input', text: 'a needle', isCut: false });
    expect(await ids(log, { text: 'needle' })).toEqual(['e4']);
    expect(await log.count({})).toBe(4);
  });

  test('two readers fill the index at the same time without duplicates', async () => {
    const postgres = await postgresDatabase();
    const log = await opened(join(await temporaryFolder(), 'audit.db'));
    const readers = await Promise.all(
      [1, 2].map(async () => {
        const reader = await readAuditLog({ file: log.file, postgres });
        onTestFinished(() => reader.close());
        return reader;
      }),
    );
    for (let round = 1; round <= 5; round += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => {
          const id = `e${round}-${at}`;
          return log.append(started(id), { of: 'input', text: `needle ${id}`, isCut: false });
        }),
      );
      const counts = await Promise.all(
        readers.flatMap((reader) => [reader.count({}), reader.count({ text: 'needle' })]),
      );
      expect(counts).toEqual(Array(4).fill(round * 100));
    }
    expect(
      await inDatabase(
        postgres,
        'SELECT (SELECT count(*) FROM ambit_audit.calls) AS calls, (SELECT count(*) FROM ambit_audit.kinds) AS kinds, (SELECT count(*) FROM ambit_audit.texts) AS texts',
      ),
    ).toEqual([{ calls: '500', kinds: '1', texts: '500' }]);
  });

  test('a query finds texts, names and chains with characters that PostgreSQL refuses', async () => {
    const postgres = await postgresDatabase();
    const log = await opened(join(await temporaryFolder(), 'audit.db'), postgres);
    // The log itself replaces a lone surrogate.
    const [text, odd] = ['a\0b \ud800 %_\\', 'a\0b \ufffd %_\\'];
    await log.append(started('e1', { ...withSkill(odd), actor: odd, parentId: odd }), {
      of: 'input',
      text: `before ${text} after`,
      isCut: false,
    });
    await log.append(started('e2'));
    for (const filter of [{ text: odd }, { text: 'A\0B' }, { skill: odd }, { actor: odd }, { parentId: odd }])
      expect(await ids(log, filter)).toEqual(['e1']);
    for (const filter of [{ text: 'a_b' }, { denied: odd }, { outcome: 'running' as const, skill: 'a' }])
      expect(await ids(log, filter)).toEqual([]);
    expect((await log.stats({})).bySkill.map(({ skill }) => skill).sort()).toEqual([odd, 's']);
  });

  test('an index with a newer schema is refused, and an export needs no index', async () => {
    const postgres = await postgresDatabase();
    const file = await logOf(3, postgres);
    await inDatabase(
      postgres,
      "INSERT INTO ambit_audit.migrations (name, version, time, digest) VALUES ('audit', 99, 'later', '')",
    );
    const log = await opened(file, postgres);
    await expect(log.count({})).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringMatching(
        /^the audit index in postgres:\S+ cannot be used: its schema has version 99, and this Ambit knows versions up to \d+;/,
      ),
    });
    expect(await exported(log)).toEqual(['e1', 'e2', 'e3']);
  });

  test('is refused in a database that cannot store every text', async () => {
    const settings = await postgresDatabase();
    const name = `latin_${randomUUID().replaceAll('-', '')}`;
    await asAdministrator(
      settings.target,
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`,
    );
    onTestFinished(() =>
      asAdministrator(settings.target, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined),
    );
    const target = { ...settings.target, database: name };
    const log = await opened(join(await temporaryFolder(), 'audit.db'), { ...settings, target });
    await log.append(started('e1'), { of: 'input', text: '日本', isCut: false });
    await expect(log.count({})).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringMatching(/its encoding is LATIN1, .* use a database with the encoding UTF8$/),
    });
  });

  test('a text search works without pg_trgm if its user may not create it', async () => {
    const settings = await postgresDatabase();
    const user = `user_${randomUUID().replaceAll('-', '')}`;
    await asAdministrator(settings.target, `CREATE ROLE ${user} LOGIN`);
    await inDatabase(settings, `CREATE SCHEMA ambit_audit AUTHORIZATION ${user}`);
    onTestFinished(() => inDatabase(settings, `DROP OWNED BY ${user}`).then(() => undefined));
    const log = await opened(join(await temporaryFolder(), 'audit.db'), {
      ...settings,
      target: { ...settings.target, user },
    });
    for (let call = 1; call <= 1500; call += 1)
      void log.append(started(`e${call}`), {
        of: 'input',
        text: call === 7 ? 'a needle' : 'some hay',
        isCut: false,
      });
    await log.append(started('last'));
    expect(await log.query({ text: 'NEEDLE', limit: 10 })).toMatchObject({
      records: [{ executionId: 'e7' }],
      next: null,
    });
    expect(log.notes).toEqual([expect.stringMatching(/CREATE EXTENSION pg_trgm/)]);
    expect(await inDatabase(settings, "SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'")).toEqual([]);
  });

  test('a slow statement refuses its question, and the next one is answered', async () => {
    const postgres = { ...(await postgresDatabase()), statementTimeoutMs: 3000 };
    const log = await opened(await logOf(3, postgres), postgres);
    expect(await log.count({})).toBe(3);
    await inDatabase(postgres, 'ALTER TABLE ambit_audit.calls RENAME TO real_calls');
    await inDatabase(
      postgres,
      'CREATE VIEW ambit_audit.calls AS SELECT real_calls.* FROM ambit_audit.real_calls, pg_sleep(60)',
    );
    await expect(log.count({})).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('a statement took longer than store.postgres.statementTimeoutMs'),
    });
    await inDatabase(postgres, 'DROP VIEW ambit_audit.calls');
    await inDatabase(postgres, 'ALTER TABLE ambit_audit.real_calls RENAME TO calls');
    expect(await log.count({})).toBe(3);
  });

  describe('with a server that fails', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());

    test('a query is refused while the server is away, and the log is written and exported', async () => {
      const postgres = await postgresDatabase(server);
      const log = await opened(await logOf(3, postgres), postgres);
      expect(await log.count({})).toBe(3);
      await server.kill();
      await expect(log.count({})).rejects.toMatchObject({
        code: 'AUDIT_UNAVAILABLE',
        message: expect.stringMatching(/^the audit index in postgres:\S+ cannot be used: .+;/),
      });
      await log.append(rejection('e4'));
      expect(await exported(log)).toEqual(['e1', 'e2', 'e3', 'e4']);
      expect((await log.events(1, 10)).length).toBe(4);
      await server.start();
      expect(await until(() => ids(log).catch(() => delay(10, false as const)))).toEqual([
        'e4',
        'e3',
        'e2',
        'e1',
      ]);
    });

    test('the index is complete after the server was killed during steps and queries', async () => {
      const postgres = await postgresDatabase(server);
      const log = await opened(join(await temporaryFolder(), 'audit.db'), postgres);
      let [isOver, answers] = [false, 0];
      const asking = [1, 2].map(async () => {
        while (!isOver)
          await log.count({ text: 'needle' }).then(
            () => (answers += 1),
            async (error: unknown) => {
              expect(error).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
              await delay(10);
            },
          );
      });
      let calls = 0;
      for (let round = 0; round < (isWhole ? 10 : 1); round += 1) {
        await Promise.all(
          Array.from({ length: 200 }, (_, at) => {
            const id = `e${round}-${at}`;
            return log.append(started(id), { of: 'input', text: `needle ${id}`, isCut: false });
          }),
        );
        calls += 200;
        await server.kill();
        await server.start();
        const before = answers;
        await until(() => delay(10, answers > before));
      }
      isOver = true;
      await Promise.all(asking);
      expect([await log.count({}), await log.count({ text: 'needle' })]).toEqual([calls, calls]);
    });

    test('a reader closes while the server is paused', async () => {
      // Longer than the test, so that nothing but the closing ends the query.
      const postgres = { ...(await postgresDatabase(server)), statementTimeoutMs: 3_600_000 };
      const log = await opened(await logOf(3, postgres), postgres);
      expect(await log.count({})).toBe(3);
      const resume = server.pause();
      const asked = log.count({ skill: 's' }).catch(({ code }: { code: string }) => code);
      await log.close();
      expect(await asked).toBe('AUDIT_UNAVAILABLE');
      resume();
    });
  });
});

/** A closed log of that many calls, whose index is complete. */
async function logOf(calls: number, postgres: Settings): Promise<string> {
  const log = await opened(join(await temporaryFolder(), 'audit.db'), postgres);
  for (let call = 1; call <= calls; call += 1) await log.append(rejection(`e${call}`));
  await log.count({});
  await log.close();
  return log.file;
}

async function opened(file: string, postgres: Settings | null = null) {
  const notes: string[] = [];
  const log = await openAuditLog({ file, postgres, onNote: (note) => notes.push(note) });
  onTestFinished(() => log.close());
  return { ...log, file, notes };
}

async function ids(log: AuditLog, filter: Omit<Parameters<AuditLog['query']>[0], 'limit'> = {}) {
  return (await log.query({ ...filter, limit: 1000 })).records.map(({ executionId }) => executionId);
}

async function exported(log: AuditLog): Promise<string[]> {
  const found: string[] = [];
  for await (const { executionId } of log.export({})) found.push(executionId);
  return found;
}
