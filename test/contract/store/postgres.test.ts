import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  asAdministrator,
  auditSchemaName,
  inDatabase,
  inspectPostgres,
  openConnections,
  openPostgres,
  openTransactions,
  postgresDatabase,
  socketVariable,
  sql,
  steps,
  transactionsIn,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { tcpProxy } from '../../support/cluster-load/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { untilAnswers } from '../support/until-answers.ts';

type Settings = Awaited<ReturnType<typeof postgresDatabase>>;

const insert = (key: string) =>
  steps(['INSERT INTO state (skill, key, value, bytes) VALUES (?, ?, ?, ?)', 's', key, '1', 1]);
const keysIn = async (settings: Settings) =>
  (await inDatabase(settings, 'SELECT key FROM ambit.state ORDER BY key')).map(({ key }) => key);

/** The refusal of an operation of a store with those settings. */
async function refusalOf(settings: Settings): Promise<string> {
  const store = openPostgres(settings);
  const refused = await store.run('probe').then(
    () => ({ code: 'none', message: '' }),
    (error: { code: string; message: string }) => error,
  );
  expect(refused.code).toBe('STORE_UNAVAILABLE');
  return refused.message.replace(/^the store postgres:\/\/\S+ cannot be used: /, '');
}

describe.runIf(process.env[socketVariable] !== undefined)('transactions in PostgreSQL', () => {
  test('return integers as numbers and bytes as bytes', async () => {
    const transactions = openTransactions(await postgresDatabase());
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const rows = await transactions.run(() =>
      steps(
        ['INSERT INTO contents (workspace, sha256, part, content) VALUES (?, ?, 0, ?)', 'w', 'd', bytes],
        [
          'INSERT INTO contents (workspace, sha256, part, content) VALUES (?, ?, 0, ?)',
          'w',
          'e',
          Buffer.alloc(0),
        ],
        ['INSERT INTO state_sizes (skill, keys, bytes) VALUES (?, ?, ?)', 's', 1, 2 ** 52],
        [
          `SELECT content, octet_length(content) AS length, (SELECT sum(bytes) FROM state_sizes) AS sum,
            (SELECT max(bytes) FROM state_sizes) AS most, count(*) OVER () AS all, NULL AS nothing
          FROM contents ORDER BY sha256`,
        ],
      ),
    );
    const numbers = { sum: 2 ** 52, most: 2 ** 52, all: 2, nothing: null };
    expect(rows).toEqual([
      { content: bytes, length: 256, ...numbers },
      { content: Buffer.alloc(0), length: 0, ...numbers },
    ]);
  });

  test('undo everything when a statement fails, and leave a usable connection', async () => {
    const settings = { ...(await postgresDatabase()), poolSize: 1 };
    const transactions = openTransactions(settings);
    await transactions.run(() => insert('a'));
    await expect(
      transactions.run(function* () {
        yield* insert('b');
        yield* insert('a');
      }),
    ).rejects.toMatchObject({ code: '23505' });
    await transactions.run(() => insert('c'));
    expect(await keysIn(settings)).toEqual(['a', 'c']);
    expect(transactions.load()).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  test('run both of two that deadlock', async () => {
    const settings = await postgresDatabase();
    const transactions = openTransactions(settings);
    await transactions.run(() => insert('a'));
    await transactions.run(() => insert('b'));
    const add = (key: string): [string, string] => ['UPDATE state SET bytes = bytes + 1 WHERE key = ?', key];
    await Promise.all([
      transactions.run(() => steps(add('a'), ['SELECT pg_sleep(0.1)'], add('b'))),
      transactions.run(() => steps(add('b'), ['SELECT pg_sleep(0.1)'], add('a'))),
    ]);
    expect(await transactions.run(() => steps(['SELECT key, bytes FROM state ORDER BY key']))).toEqual([
      { key: 'a', bytes: 3 },
      { key: 'b', bytes: 3 },
    ]);
  });

  test('are tried five times when they conflict', async () => {
    const transactions = openTransactions(await postgresDatabase());
    let tries = 0;
    const conflict = transactions.run(() => {
      tries += 1;
      return steps([raise('40001')]);
    });
    await expect(conflict).rejects.toMatchObject({ code: '40001' });
    expect(tries).toBe(5);
  });

  test('run again on another connection when theirs is lost before the commit', async () => {
    const settings = await postgresDatabase();
    const transactions = openTransactions(settings);
    let tries = 0;
    await transactions.run(function* () {
      tries += 1;
      yield* insert('a');
      if (tries === 1) yield* steps(['SELECT pg_terminate_backend(pg_backend_pid())']);
    });
    expect([tries, await keysIn(settings)]).toEqual([2, ['a']]);
  });

  test('are reported as unknown, and not run again, when the answer to their commit is lost', async () => {
    const settings = await postgresDatabase();
    const proxy = await proxied(settings);
    const transactions = openTransactions(proxy.settings);
    await transactions.run(() => insert('a'));
    let tries = 0;
    proxy.loseAnswer('COMMIT\0');
    const cut = transactions.run(() => {
      tries += 1;
      return insert('b');
    });
    await expect(cut).rejects.toMatchObject({ name: 'UnknownCommitError' });
    await until(async () => (await keysIn(settings)).length === 2);
    expect(tries).toBe(1);
    await transactions.run(() => insert('c'));
    expect(await keysIn(settings)).toEqual(['a', 'b', 'c']);
  });

  test('do not wait for a lock longer than half the timeout of statements', async () => {
    const settings = { ...(await postgresDatabase()), statementTimeoutMs: 6000 };
    const transactions = openTransactions(settings);
    await transactions.run(() => insert('a'));
    const holding = inDatabase(
      settings,
      'BEGIN; UPDATE ambit.state SET bytes = 2; SELECT pg_sleep(60)',
    ).catch(() => undefined);
    const [holder] = await until(async () => {
      const found = await asAdministrator(
        settings.target,
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = '${settings.target.database}'`,
      );
      return found.length > 0 && found;
    });
    await expect(transactions.run(() => steps(['UPDATE state SET bytes = 3']))).rejects.toMatchObject({
      code: '55P03',
    });
    await asAdministrator(settings.target, `SELECT pg_terminate_backend(${holder?.['pid']})`);
    await holding;
  });

  test('end a statement after its timeout', async () => {
    const transactions = openTransactions({ ...(await postgresDatabase()), statementTimeoutMs: 3000 });
    await expect(transactions.run(() => steps(['SELECT pg_sleep(60)']))).rejects.toMatchObject({
      code: '57014',
    });
  });

  test('connect anew when the server has become read-only', async () => {
    const settings = { ...(await postgresDatabase()), poolSize: 1 };
    const transactions = openTransactions(settings);
    const connection = async (): Promise<unknown> =>
      (await transactions.run(() => steps(['SELECT pg_backend_pid() AS pid'])))[0]?.['pid'];
    const before = await connection();
    const { database } = settings.target;
    await asAdministrator(
      settings.target,
      `ALTER DATABASE ${database} SET default_transaction_read_only = on`,
    );
    const refused = transactions.run(() => steps(['SET TRANSACTION READ ONLY'], ['DELETE FROM state']));
    await expect(refused).rejects.toMatchObject({ code: '25006' });
    expect(await connection()).not.toBe(before);
    await expect(transactions.run(() => insert('a'))).rejects.toMatchObject({ code: '25006' });
    await asAdministrator(
      settings.target,
      `ALTER DATABASE ${database} SET default_transaction_read_only = off`,
    );
    await transactions.run(() => insert('a'));
  });
});

describe.runIf(process.env[socketVariable] !== undefined)('the store in PostgreSQL', () => {
  test('is refused to a second daemon until the first has closed it', async () => {
    const settings = await postgresDatabase();
    const first = openPostgres(settings);
    await first.run('probe');
    expect(await refusalOf(settings)).toBe(
      'another Ambit uses it, and without a cluster a database serves one daemon; stop the other, or name another database in store.postgres.url',
    );
    await first.close();
    const second = openPostgres(settings);
    await second.run('probe');
  });

  test('takes its lock again when that connection is lost', async () => {
    const settings = await postgresDatabase();
    const store = openPostgres(settings);
    await store.run('probe');
    const holders = () =>
      asAdministrator(
        settings.target,
        // Other tests have locks in other databases of this server.
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        settings.target.database,
      );
    const [before] = await holders();
    await asAdministrator(settings.target, `SELECT pg_terminate_backend(${before?.['pid']})`);
    await store.run('probe');
    const after = await until(async () => {
      const found = await holders();
      return found.length === 1 && found[0]?.['pid'] !== before?.['pid'] && found;
    });
    expect(after).toHaveLength(1);
    expect(await refusalOf(settings)).toContain('another Ambit uses it');
  });

  test('is refused while another daemon has taken the lock that it lost', async () => {
    const settings = await postgresDatabase();
    const proxy = await proxied(settings);
    const first = openPostgres(proxy.settings);
    await first.run('probe');
    proxy.cut();
    const second = openPostgres(settings);
    await untilAnswers(second);
    await expect(first.run('probe')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    proxy.restore();
    await expect(
      until(() =>
        first.run('probe').then(
          () => 'used',
          (error: Error) => /another Ambit/.test(error.message) && 'refused',
        ),
      ),
    ).resolves.toBe('refused');
    await second.close();
    await untilAnswers(first);
  });

  test('is refused if its schema is newer', async () => {
    const settings = await postgresDatabase();
    const store = openPostgres(settings);
    await store.run('probe');
    await store.close();
    await inDatabase(
      settings,
      "INSERT INTO ambit.migrations (name, version, time, digest) VALUES ('store', 99, 'later', '')",
    );
    const refused =
      /its schema has version 99, and this Ambit knows versions up to \d+; use the newer Ambit, or restore a backup from before the upgrade$/;
    expect(await refusalOf(settings)).toMatch(refused);
    await expect(inspectPostgres(settings)).rejects.toThrow(refused);
  });

  test.each([
    ['another digest', "UPDATE ambit.migrations SET digest = 'd' WHERE name = 'keys'"],
    ['no digest', 'ALTER TABLE ambit.migrations DROP COLUMN digest'],
  ])('is refused if its schema has %s, because a development version has written it', async (_, change) => {
    const settings = await postgresDatabase();
    const store = openPostgres(settings);
    await store.run('probe');
    await store.close();
    await inDatabase(settings, change);
    const refused =
      /it was written by a development version of Ambit; to start anew, export the log .* new database$/;
    expect(await refusalOf(settings)).toMatch(refused);
    await expect(inspectPostgres(settings)).rejects.toThrow(refused);
  });

  test('is used one version later if that version only adds to the schema, while nodes are replaced', async () => {
    const settings = await postgresDatabase();
    await openPostgres(settings, 'beside').run('probe');
    const migrated = (version: number) =>
      inDatabase(settings, `INSERT INTO ambit.migrations VALUES ('store', ${version}, 'later', '')`);
    await migrated(2);
    const refused = /its schema has version \d+, and this Ambit knows versions up to 1;/;
    expect(await refusalOf(settings)).toMatch(refused);
    await inDatabase(settings, `INSERT INTO ambit.expansions VALUES ('store', 2)`);
    await openPostgres(settings, 'beside').run('probe');
    await migrated(3);
    await inDatabase(settings, `INSERT INTO ambit.expansions VALUES ('store', 3)`);
    expect(await refusalOf(settings)).toMatch(refused);
  });

  test('refuses a server that reports version 14, and accepts version 15', async () => {
    const settings = await postgresDatabase();
    const [found] = await asAdministrator(settings.target, 'SHOW server_version_num');
    const number = String(found?.['server_version_num']);
    const reporting = async (other: string) =>
      (await proxied(settings, (bytes) => replaced(bytes, number, other))).settings;
    const refused = /^it is PostgreSQL \d+\.\d+.*, and Ambit needs version 15 or newer; upgrade it$/;
    const old = await reporting('140018');
    expect(await refusalOf(old)).toMatch(refused);
    await expect(inspectPostgres(old)).rejects.toThrow('Ambit needs version 15 or newer');
    const schemas = `SELECT 1 FROM pg_namespace WHERE nspname = 'ambit'`;
    expect(await inDatabase(settings, schemas)).toEqual([]);
    const oldest = await reporting('150000');
    await openPostgres(oldest).run('probe');
    await expect(inspectPostgres(oldest)).resolves.toMatchObject({ schemaVersion: 1 });
  });

  test('is refused if the database does not exist', async () => {
    const settings = await postgresDatabase();
    const target = { ...settings.target, database: 'absent' };
    expect(await refusalOf({ ...settings, target })).toBe(
      'database "absent" does not exist; create the database, or correct store.postgres.url',
    );
  });

  test('is refused if its user may not create the schema', async () => {
    const settings = await postgresDatabase();
    const user = `user_${randomUUID().replaceAll('-', '')}`;
    await asAdministrator(settings.target, `CREATE ROLE ${user} LOGIN`);
    expect(await refusalOf({ ...settings, target: { ...settings.target, user } })).toMatch(
      /^its user lacks a right \(permission denied for database \w+\); run as its administrator: GRANT CREATE ON DATABASE … TO …$/,
    );
  });

  test('is refused if the server has too many connections', async () => {
    const settings = await postgresDatabase();
    const user = `user_${randomUUID().replaceAll('-', '')}`;
    await asAdministrator(settings.target, `CREATE ROLE ${user} LOGIN CONNECTION LIMIT 0`);
    expect(await refusalOf({ ...settings, target: { ...settings.target, user } })).toBe(
      'it has too many connections; raise max_connections there, or lower store.postgres.poolSize',
    );
  });

  test('is refused if nothing accepts connections', async () => {
    const settings = await postgresDatabase();
    expect(await refusalOf({ ...settings, target: { ...settings.target, port: 1 } })).toBe(
      'nothing accepts connections there (ECONNREFUSED); start PostgreSQL, or correct store.postgres.url',
    );
  });

  test('is refused in time if the server accepts connections and never answers', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const settings = await postgresDatabase();
    expect(
      await refusalOf({ ...settings, connectTimeoutMs: 200, target: { ...settings.target, port } }),
    ).toBe('it does not answer in time; check the server, its load and the network');
  });

  test('is refused if the server offers no TLS', async () => {
    const settings = await postgresDatabase();
    expect(await refusalOf({ ...settings, tls: { ca: null, verify: true } })).toBe(
      'it offers no TLS; turn on ssl in its configuration, or set store.postgres.tls: false if the network is trusted',
    );
  });

  test('brings a schema up to date once for several stores that open it together', async () => {
    const settings = await postgresDatabase();
    const stores = Array.from({ length: 4 }, () => openPostgres(settings, 'beside'));
    await Promise.all(stores.map((store) => store.run('probe')));
    const versions = await inDatabase(
      settings,
      'SELECT name, count(*)::int, max(version)::int FROM ambit.migrations GROUP BY name ORDER BY name',
    );
    expect(versions).toEqual([
      { name: 'cluster', count: 1, max: 1 },
      { name: 'keys', count: 1, max: 1 },
      { name: 'shipped', count: 1, max: 1 },
      { name: 'store', count: 1, max: 1 },
    ]);
  });

  test('brings a schema up to date after a deadlock with a transaction that uses its tables in another order', async () => {
    const settings = await postgresDatabase();
    const { database } = settings.target;
    // The server ends the one that notices first, which is the change of the schema.
    await inDatabase(settings, `ALTER DATABASE ${database} SET deadlock_timeout = '3s'`);
    const indexed = (index: 'audit' | 'clusterIndex') => {
      const transactions = transactionsIn(settings, { use: 'beside', schema: auditSchemaName, index });
      onTestFinished(() => transactions.close());
      return transactions.read(sql`SELECT count(*)::INT AS calls FROM calls`);
    };
    expect(await indexed('audit')).toEqual([{ calls: 0 }]);
    const connections = await openConnections(settings, auditSchemaName);
    onTestFinished(() => connections.close());
    const other = await connections.pooled();
    await other.command("SET deadlock_timeout = '60s'");
    await other.command('BEGIN');
    await other.command('LOCK TABLE calls IN ACCESS SHARE MODE');
    // The index of a cluster replaces the one of a log.
    const changed = indexed('clusterIndex');
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'ambit_audit.calls'::regclass`;
    await until(async () => (await inDatabase(settings, waiting)).length > 0);
    await other.command('LOCK TABLE kinds IN ACCESS SHARE MODE');
    await other.command('COMMIT');
    other.release();
    expect(await changed).toEqual([{ calls: 0 }]);
  });
});

function raise(code: string): string {
  return `DO $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '${code}'; END $$`;
}

/** The bytes with another text of the same length. */
function replaced(bytes: Buffer, text: string, other: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(text, other), 'latin1');
}

/** A proxy in front of the server, and settings that lead through it. */
async function proxied(settings: Settings, changed?: (bytes: Buffer) => Buffer) {
  const proxy = await tcpProxy(settings.target.port, changed);
  onTestFinished(() => proxy.close());
  return { ...proxy, settings: { ...settings, target: { ...settings.target, port: proxy.port } } };
}
