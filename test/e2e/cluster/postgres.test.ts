// The tests start daemons of their own: the claims are about their databases. They share one server, which they kill and pause.
// Threat model: T235, T272

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  asAdministrator,
  inDatabase,
  postgresDatabase,
  socketVariable,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { metricsOf } from '../support/metrics.ts';
import { waiterWorld } from '../support/waiter.ts';

const hasPostgres = process.env[socketVariable] !== undefined;
let server: PostgresServer;

beforeAll(async () => {
  if (!hasPostgres) return undefined;
  server = await startPostgres();
  return () => server.stop();
});

/** Skills, and a configuration whose store is a new database of the server. */
async function newWorld(timeoutMs = 60_000) {
  const { target } = await postgresDatabase(server);
  const skills = await temporaryFolder();
  await writeSkills(skills, { echo: pythonSkill('print("1")') });
  const postgres = { url: target.shown, statementTimeoutMs: timeoutMs, connectTimeoutMs: timeoutMs };
  return { target, config: { skills: [{ path: skills, tier: 'local' }], store: { postgres } } };
}

describe.runIf(hasPostgres)('a daemon with PostgreSQL', () => {
  test('stores responses and the audit index there, and refuses only what needs it while it is away', async () => {
    const { target, config } = await newWorld(5000);
    const daemon = await startDaemon(config);
    const execute = (key?: string) =>
      daemon.request('POST', '/skills/echo/execute', {
        body: { input: {} },
        headers: key === undefined ? {} : { 'idempotency-key': key },
      });
    const first = await execute('one');
    expect(first.status).toBe(200);
    expect((await execute('one')).body).toEqual(first.body);
    expect(await inDatabase({ target }, 'SELECT bytes > 0 AS stored FROM ambit.claims')).toEqual([
      { stored: true },
    ]);
    const records = () => daemon.request('GET', '/audit?skill=echo');
    expect((await records()).body.records).toHaveLength(1);
    expect(await inDatabase({ target }, 'SELECT count(*)::INT AS calls FROM ambit_audit.calls')).toEqual([
      { calls: 1 },
    ]);
    for (const file of ['store.db', 'audit-index.db'])
      expect(existsSync(join(daemon.dataDir, file))).toBe(false);

    const resume = server.pause();
    const refused = await execute('two');
    expect([refused.status, refused.body.code]).toEqual([503, 'STORE_UNAVAILABLE']);
    expect((await execute()).status).toBe(200);
    const ready = await until(async () => {
      const answer = await daemon.request('GET', '/readyz');
      return answer.body.checks.store !== 'ok' && answer;
    });
    expect([ready.status, ready.body.checks.store]).toEqual([200, 'STORE_UNAVAILABLE']);
    resume();
    await until(async () => (await execute('two')).status === 200);

    // A database that answers and cannot be written is no better.
    const storeCheck = async () => {
      const file = join(daemon.dataDir, '..', 'ambit.config.yaml');
      const { stdout } = await ambit(['--config', file, 'doctor', '--json']);
      const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; found: string }[] };
      return checks.find(({ name }) => name === 'store');
    };
    const storeIs = async (wanted: string): Promise<void> => {
      await until(async () => (await daemon.request('GET', '/readyz')).body.checks.store === wanted);
    };
    const readOnly = async (change: string): Promise<void> => {
      await asAdministrator(server, `ALTER DATABASE ${target.database} ${change}`);
      await asAdministrator(
        server,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${target.database}'`,
      );
    };
    await storeIs('ok');
    await readOnly('SET default_transaction_read_only = on');
    await storeIs('STORE_UNAVAILABLE');
    expect(await storeCheck()).toMatchObject({
      status: 'limited',
      found: expect.stringContaining('it is read-only, as a replica is'),
    });
    await readOnly('RESET default_transaction_read_only');
    await storeIs('ok');
    expect(await storeCheck()).toMatchObject({ status: 'ok' });

    await server.kill();
    expect((await execute('three')).body.code).toBe('STORE_UNAVAILABLE');
    const unanswered = await records();
    expect([unanswered.status, unanswered.body.code]).toEqual([503, 'AUDIT_UNAVAILABLE']);
    expect((await daemon.request('GET', '/audit/verify')).body).toMatchObject({
      intact: true,
      indexedThrough: null,
    });
    await server.start();
    await until(async () => (await execute('three')).status === 200);
    expect((await execute('one')).body).toEqual(first.body);
    expect((await until(async () => (await records()).body)).records.length).toBe(4);
    expect(await metricsOf(daemon)).toHaveProperty([
      'ambit_store_operation_seconds_count{operation="claim",outcome="done"}',
    ]);
  });

  test('marks a response that it cannot store because the server is gone, and refuses a retry', async () => {
    const { config: withStore } = await newWorld(5000);
    const { config, file: newFile } = await waiterWorld();
    const [daemon, file] = [await startDaemon({ ...withStore, ...config }), newFile()];
    const send = () =>
      fetch(`${daemon.url}/skills/waiter/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${daemon.key}`,
          'content-type': 'application/json',
          'idempotency-key': 'one',
        },
        body: JSON.stringify({ input: file.path }),
      });
    const call = send();
    await until(async () => (await daemon.audit('?skill=waiter')).length === 1);
    await server.kill();
    await file.make();
    const response = await call;
    expect([response.status, response.headers.get('idempotency-stored')]).toEqual([200, 'false']);
    const { executionId, outcome } = JSON.parse(await response.text());
    expect(outcome).toEqual({ status: 'succeeded', output: 'released' });
    expect((await daemon.request('GET', `/executions/${executionId}`)).body).toMatchObject({ stored: false });
    await server.start();
    const retry = await until(async () => {
      const answer = await send();
      return answer.status !== 503 && answer.json();
    });
    expect(retry).toMatchObject({ code: 'IDEMPOTENCY_INTERRUPTED', originalExecutionId: executionId });
  });

  test('accepts a key soon after its creation and until its revocation, and only the first key without the store', async () => {
    const { config } = await newWorld(5000);
    const daemon = await startDaemon(config);
    const file = join(await temporaryFolder(), 'ambit.yaml');
    await writeFile(file, JSON.stringify({ ...config, dataDir: daemon.dataDir }));
    const keys = async (...words: string[]) => {
      const { code, stdout } = await ambit(['key', ...words, '--config', file]);
      expect(code).toBe(0);
      return stdout;
    };
    const statusWith = async (key: string, { url } = daemon) =>
      (await fetch(`${url}/skills`, { headers: { authorization: `Bearer ${key}` } })).status;

    const [bot, other] = [
      (await keys('create', 'bot', '--scope', 'skills:read')).trim(),
      (await keys('create', 'other', '--scope', 'skills:read')).trim(),
    ];
    await until(async () => (await statusWith(bot)) === 200 && (await statusWith(other)) === 200);
    await keys('revoke', 'bot');
    await until(async () => (await statusWith(bot)) === 401);
    expect(await statusWith(other)).toBe(200);
    expect(await keys('list')).toMatch(/^first +good .*\nbot +revoked .*\nother +good /);
    expect(existsSync(join(daemon.dataDir, 'keys.db'))).toBe(false);

    await server.kill();
    expect(await statusWith(other)).toBe(200);
    expect(await ambit(['key', 'list', '--config', file])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^ambit: STORE_UNAVAILABLE: the store postgres:.* cannot be used: /),
    });
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
    expect(await ambit(['audit', '--config', file])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /^ambit: AUDIT_UNAVAILABLE: the audit index in postgres:.* cannot be used: nothing accepts connections there/,
      ),
    });
    const without = await startDaemon(config, { dataDir: daemon.dataDir });
    expect(await Promise.all([without.key, other].map((key) => statusWith(key, without)))).toEqual([
      200, 503,
    ]);
    await server.start();
    await until(async () => (await statusWith(other, without)) === 200);
    expect(await statusWith(bot, without)).toBe(401);
  });

  test('keeps the password of its secret out of the configuration, the log and the doctor', async () => {
    const { target, config } = await newWorld();
    await asAdministrator(server, "ALTER ROLE postgres PASSWORD 'correct-horse-battery'");
    await server.admit(`host ${target.database} postgres all scram-sha-256`);
    const secrets = { DATABASE: { env: 'DATABASE_PASSWORD' } };
    const store = { postgres: { ...config.store.postgres, password: 'DATABASE' } };
    const folder = await temporaryFolder();
    const file = join(folder, 'ambit.yaml');
    await writeFile(file, JSON.stringify({ ...config, secrets, store, dataDir: join(folder, 'data') }));
    const doctor = async (password: string) => {
      const { stdout } = await ambit(['doctor', '--json', '--config', file], {
        env: { DATABASE_PASSWORD: password },
      });
      expect(stdout).not.toContain(password);
      const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
      return checks.find(({ name }) => name === 'store');
    };
    expect(await doctor('correct-horse-battery')).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(
        /^PostgreSQL \d+\.\d+.*, postgres:\/\/postgres@\S+, no schema yet, \d+\.\d ms$/,
      ),
    });
    expect(await doctor('another-password')).toMatchObject({
      status: 'limited',
      found: expect.stringContaining('the user or the password is wrong'),
    });
  });
});

describe.runIf(hasPostgres)('ambit store copy', () => {
  test('moves a daemon from SQLite to an empty database of PostgreSQL', async () => {
    const { config } = await newWorld();
    const { store, ...before } = config;
    const call = (daemon: Awaited<ReturnType<typeof startDaemon>>) =>
      daemon.request('POST', '/skills/echo/execute', {
        body: { input: {} },
        headers: { 'idempotency-key': 'one' },
      });
    const daemon = await startDaemon(before);
    const { dataDir } = daemon;
    const first = await call(daemon);
    const file = join(await temporaryFolder(), 'ambit.yaml');
    await writeFile(file, JSON.stringify({ ...before, dataDir }));
    const bot = (
      await ambit(['key', 'create', 'bot', '--scope', 'skills:read', '--config', file])
    ).stdout.trim();
    const copy = () => ambit(['store', 'copy', '--config', file]);
    expect(await copy()).toMatchObject({ code: 2, stderr: expect.stringContaining('names no database') });
    await writeFile(file, JSON.stringify({ ...config, dataDir }));
    expect(await copy()).toMatchObject({ code: 4, stderr: expect.stringContaining('AUDIT_UNAVAILABLE') });
    await daemon.stop();
    expect(await copy()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^claims +1\nworkspaces +0\n(.*\n)*keys +1\n$/),
      stderr: expect.stringContaining('unchanged'),
    });
    expect(await copy()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has data already, so nothing was copied'),
    });
    const next = await startDaemon({ ...before, store }, { dataDir });
    expect((await call(next)).body).toEqual(first.body);
    const authorization = `Bearer ${bot}`;
    await until(
      async () => (await fetch(`${next.url}/skills`, { headers: { authorization } })).status === 200,
    );
  });
});

test('serve, config and doctor refuse a password of the store without a secret, and config and doctor accept it with one', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'ambit.yaml');
  const postgres = { url: 'postgres://ambit@127.0.0.1:1/ambit', password: 'DATABASE' };
  const write = (secrets: object) =>
    writeFile(file, JSON.stringify({ dataDir: join(folder, 'data'), store: { postgres }, secrets }));
  const outcomes = (...commands: string[]) =>
    Promise.all(commands.map((command) => ambit([command, '--config', file])));
  await write({ OTHER: { env: 'OTHER' } });
  const message = `${file}: store.postgres.password: secrets has no DATABASE; add its source there`;
  for (const refused of await outcomes('serve', 'config', 'doctor'))
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(existsSync(join(folder, 'data'))).toBe(false);
  await write({ DATABASE: { env: 'OTHER' } });
  const [config, doctor] = await outcomes('config', 'doctor');
  expect(config?.code).toBe(0);
  for (const name of ['store', 'keys'])
    expect(doctor?.stdout).toMatch(RegExp(`^limited +${name}: .*nothing accepts connections there`, 'm'));
});
