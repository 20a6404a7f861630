// Threat model: T270, T272

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  asAdministrator,
  inDatabase,
  openPostgres,
  openTransactions,
  postgresDatabase,
  socketVariable,
  steps,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { certificate } from '../../support/certificate.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { isWhole } from '../../support/whole.ts';
import { untilAnswers } from '../support/until-answers.ts';

/** Root in a container may not be allowed to mount. */
const mayMount = process.geteuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** A disk of so many MiB that the servers can write to. */
async function smallDisk(mebibytes: number): Promise<string> {
  const disk = await mkdtemp(join(tmpdir(), 'ambit-disk-'));
  execFileSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${mebibytes}m,mode=700,uid=65534,gid=65534`,
    'tmpfs',
    disk,
  ]);
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', disk]);
    await rm(disk, { recursive: true });
  });
  return disk;
}

/** Stores a claim with a response of 512 KiB, which PostgreSQL cannot compress. */
async function storeOne(store: ReturnType<typeof openPostgres>, name: string): Promise<Buffer> {
  const body = randomBytes(2 ** 19);
  await store.run('claim', { name, owner: 'o', executionId: name, fingerprint: 'f', claimedAt: 1 }, 0);
  expect(await store.run('storeResponse', name, name, { head: '{}', body })).toBe(true);
  return body;
}

/** Stores responses until one is refused. */
async function filled(store: ReturnType<typeof openPostgres>) {
  const stored = new Map<string, Buffer>();
  for (;;)
    try {
      const name = `n${stored.size}`;
      stored.set(name, await storeOne(store, name));
    } catch (refused) {
      return { stored, refused };
    }
}

async function expectAll(
  store: ReturnType<typeof openPostgres>,
  stored: ReadonlyMap<string, Buffer>,
): Promise<void> {
  for (const [name, body] of stored)
    expect(body.equals((await store.run('findClaim', name, 0))?.body as Uint8Array)).toBe(true);
}

/** These tests kill, pause and reconfigure a server of their own. */
describe.runIf(process.env[socketVariable] !== undefined)('with a server that fails', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const insert = (key: string) =>
    steps(['INSERT INTO state (skill, key, value, bytes) VALUES (?, ?, ?, ?)', 's', key, '1', 1]);

  test('nothing that was acknowledged is lost when it is killed under load, and nothing is done twice', async () => {
    const settings = await postgresDatabase(server);
    const transactions = openTransactions(settings);
    const [acknowledged, unknown, refused] = [new Set<string>(), new Set<string>(), new Set<string>()];
    let isOver = false;
    const caller = async (name: number): Promise<void> => {
      for (let number = 0; !isOver; number += 1) {
        const key = `${name}-${number}`;
        try {
          await transactions.run(() => insert(key));
          acknowledged.add(key);
        } catch (error) {
          ((error as Error).name === 'UnknownCommitError' ? unknown : refused).add(key);
          await setTimeout(10);
        }
      }
    };
    const callers = Array.from({ length: 8 }, (_, name) => caller(name));
    try {
      for (let round = 0; round < (isWhole ? 10 : 1); round += 1) {
        const before = acknowledged.size;
        await until(() => setTimeout(10, acknowledged.size > before + 50));
        await server.kill();
        await server.start();
      }
    } finally {
      isOver = true;
    }
    await Promise.all(callers);
    const rows = await inDatabase(settings, 'SELECT key FROM ambit.state');
    const found = new Set(rows.map(({ key }) => String(key)));
    expect([...acknowledged].filter((key) => !found.has(key))).toEqual([]);
    expect([...refused].filter((key) => found.has(key))).toEqual([]);
    // What was neither acknowledged nor refused is reported as unknown.
    expect([...found].filter((key) => !acknowledged.has(key) && !unknown.has(key))).toEqual([]);
  });

  test('operations are refused in time while it is paused, and run when it continues', async () => {
    const store = openPostgres({
      ...(await postgresDatabase(server)),
      statementTimeoutMs: 3000,
      connectTimeoutMs: 3000,
    });
    await store.run('probe');
    const resume = server.pause();
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => store.run('probe')));
    resume();
    expect(outcomes.map((outcome) => outcome.status)).toEqual(outcomes.map(() => 'rejected'));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE' } });
    await untilAnswers(store);
  });

  test('a store closes while it is paused', async () => {
    const store = openPostgres({ ...(await postgresDatabase(server)), statementTimeoutMs: 3000 });
    await store.run('probe');
    const resume = server.pause();
    await store.close();
    resume();
    await expect(store.run('probe')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  test('a password comes from its source for each connection, and is never in a refusal', async () => {
    const settings = await postgresDatabase(server);
    await asAdministrator(server, "CREATE ROLE keeper LOGIN PASSWORD 'correct horse'");
    await asAdministrator(server, `ALTER DATABASE ${settings.target.database} OWNER TO keeper`);
    await server.admit(`host ${settings.target.database} keeper all scram-sha-256`);
    const target = { ...settings.target, user: 'keeper' };
    let password = 'battery staple';
    const store = openPostgres({ ...settings, target, password: async () => password });
    const wrong = await store.run('probe').catch((error: Error) => error);
    expect(wrong).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('the user or the password is wrong'),
    });
    expect(JSON.stringify([wrong, (wrong as Error).message, (wrong as Error).cause])).not.toContain(
      'battery',
    );
    password = 'correct horse';
    await store.run('probe');
    const without = openPostgres({ ...settings, target });
    await expect(without.run('probe')).rejects.toThrow('it asks for a password; store one under secrets');
  });

  test('TLS checks the certificate and the name of the server unless that is turned off', async () => {
    const folder = await temporaryFolder();
    const { cert, key } = certificate(folder, 'localhost');
    const other = certificate(folder, 'other.example');
    await server.useCertificate(await readFile(cert, 'utf8'), await readFile(key, 'utf8'));
    const settings = await postgresDatabase(server);
    const named = (host: string) => ({ ...settings.target, host });
    const refusal = (host: string, ca: string | null) =>
      openPostgres({ ...settings, target: named(host), tls: { ca, verify: true } })
        .run('probe')
        .catch((error: Error) => error.message.replace(/^.*cannot be used: /, ''));
    expect(await refusal('localhost', cert)).toBeUndefined();
    const untrusted =
      'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); name the file with its CA in store.postgres.tls.ca';
    expect(await refusal('localhost', null)).toBe(untrusted);
    expect(await refusal('localhost', other.cert)).toBe(untrusted);
    expect(await refusal('127.0.0.1', cert)).toMatch(
      /^Hostname\/IP does not match .*; write a name that the certificate has in store\.postgres\.url$/,
    );
    expect(await refusal('localhost', join(folder, 'absent.pem'))).toMatch(
      /^cannot read store\.postgres\.tls\.ca: ENOENT: .*absent\.pem/,
    );
    const unchecked = openPostgres({ ...settings, tls: { ca: null, verify: false } }, 'beside');
    await unchecked.run('probe');
    const [used] = await asAdministrator(
      server,
      "SELECT bool_and(ssl) AS all FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'ambit'",
    );
    expect(used).toEqual({ all: true });
  });

  test.runIf(mayMount)(
    'a full disk refuses changes with advice and loses none, and changes work when there is space again (needs root, to mount)',
    async () => {
      const settings = await postgresDatabase(server);
      const disk = await smallDisk(40);
      await asAdministrator(server, `CREATE TABLESPACE small LOCATION '${disk}'`);
      await asAdministrator(server, `ALTER DATABASE ${settings.target.database} SET TABLESPACE small`);
      onTestFinished(async () => {
        await asAdministrator(server, `DROP DATABASE ${settings.target.database} WITH (FORCE)`);
        await asAdministrator(server, 'DROP TABLESPACE small');
      });
      const ballast = join(disk, 'ballast');
      await writeFile(ballast, Buffer.alloc(10 * 2 ** 20));
      const store = openPostgres(settings);
      const { stored, refused } = await filled(store);
      expect(refused).toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringMatching(
          /cannot be used: the disk of the server is full; free some space there$/,
        ),
      });
      expect(stored.size).toBeGreaterThan(0);
      await expectAll(store, stored);
      await rm(ballast);
      expect(await storeOne(store, 'after')).toHaveLength(2 ** 19);
      await expectAll(store, stored);
    },
  );

  test.runIf(mayMount)(
    'a full disk of the write-ahead log stops the server, and loses no acknowledged change (needs root, to mount)',
    async () => {
      const own = await startPostgres();
      onTestFinished(() => own.stop());
      const settings = await postgresDatabase(own);
      await own.kill();
      const [disk, log] = [await smallDisk(8), join(own.dataDir, 'pg_wal')];
      execFileSync('cp', ['-a', `${log}/.`, disk]);
      await rm(log, { recursive: true });
      await symlink(disk, log);
      // Without checkpoints, the log grows.
      const growing = { max_wal_size: '1GB', checkpoint_timeout: '1h' };
      await own.start(growing);
      const store = openPostgres(settings);
      const { stored, refused } = await filled(store);
      expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(stored.size).toBeGreaterThan(0);
      await until(() =>
        store.run('probe').then(
          () => false,
          (error: Error) => error.message.includes('nothing accepts connections there'),
        ),
      );
      await own.kill();
      execFileSync('mount', ['-o', 'remount,size=64m', disk]);
      await own.start(growing);
      await untilAnswers(store);
      await expectAll(store, stored);
      expect(await storeOne(store, 'after')).toHaveLength(2 ** 19);
    },
  );

  const programs = process.env['TEST_POSTGRES_BIN'];
  test.runIf(programs !== undefined && existsSync(join(programs, 'pg_dump')))(
    'a dump has everything, and is restored as docs/operations.md says (needs pg_dump)',
    async () => {
      const settings = await postgresDatabase(server);
      const dump = join(server.dataDir, 'ambit.dump');
      const url = settings.target.shown;
      const transactions = openTransactions(settings);
      await transactions.run(() => insert('before'));
      execFileSync(join(programs ?? '', 'pg_dump'), [
        '--format=custom',
        '--schema=ambit',
        `--file=${dump}`,
        url,
      ]);
      await transactions.run(() => insert('after'));
      execFileSync(join(programs ?? '', 'pg_restore'), ['--clean', '--if-exists', `--dbname=${url}`, dump]);
      expect(await transactions.run(() => steps(['SELECT key, value FROM state']))).toEqual([
        { key: 'before', value: '1' },
      ]);
    },
  );
});
