// Threat model: T347

import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditPage, CallRecord } from '@ambit/core/audit';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { PostgresSettings } from '../../store/postgres/postgres-settings.ts';
import {
  asAdministrator,
  inDatabase,
  postgresDatabase,
  socketVariable,
} from '../../store/testing/postgres-databases.ts';
import { type OpenAuditLog, openAuditLog } from '../open-audit-log.ts';
import { pruneLog } from '../retention/prune-log.ts';
import { beginning, ending, rejection } from '../testing/audit-files.ts';
import { heldLease, nodeKey } from '../testing/cluster-logs.ts';

describe.runIf(process.env[socketVariable] !== undefined)('shipping', () => {
  test('a query on any node finds the records of all nodes, in the order of time, on pages that join', async () => {
    const postgres = await postgresDatabase();
    const nodes = await Promise.all(
      [1, 2, 3].map(async (node) => openedIn(await temporaryFolder(), postgres, node)),
    );
    const logs = nodes.map(({ log }) => log);
    const expected: string[] = [];
    for (let at = 0; at < 30; at += 1) {
      const log = logs[at % 3] as Opened;
      // Two nodes record calls of the same millisecond.
      const time = 1_700_000_000_000 + Math.floor(at / 2);
      await log.append({ ...rejection(`e${at}`), time });
      expected.push(`${['one', 'two', 'three'][at % 3]} e${at}`);
    }
    for (const log of logs) await log.count({});
    const shown = ({ node, executionId }: CallRecord) => `${node} ${executionId}`;
    const order = (await allPages(logs[0] as Opened, 200)).map(shown);
    expect(order.toSorted()).toEqual(expected.toSorted());
    for (const [at, log] of logs.entries())
      expect((await allPages(log, [1, 7, 200][at] ?? 0)).map(shown)).toEqual(order);
    const records = await allPages(logs[1] as Opened, 7);
    expect(records.map(({ startedAt }) => startedAt)).toEqual(
      records
        .map(({ startedAt }) => startedAt)
        .toSorted()
        .toReversed(),
    );
    const exported: string[] = [];
    for await (const record of (logs[2] as Opened).export({})) exported.push(shown(record));
    expect(exported).toEqual(order.toReversed());
    const [log] = logs as [Opened];
    expect((await log.query({ executionId: 'e4', limit: 1 })).records.map(shown)).toEqual(['two e4']);
    expect(await log.query({ since: 1_700_000_000_003, until: 1_700_000_000_004, limit: 10 })).toMatchObject({
      records: [
        { executionId: expect.stringMatching(/e[67]/) },
        { executionId: expect.stringMatching(/e[67]/) },
      ],
      next: null,
    });
    expect((await log.stats({})).all).toMatchObject({ calls: 30, denied: 30 });
  });

  test('every event is in the database once and unchanged, after lost connections, a read-only database and a restart', async () => {
    const postgres = await postgresDatabase();
    const { log, file } = await openedIn(await temporaryFolder(), postgres, 1);
    const { database, target } = { ...postgres.target, target: postgres.target };
    const server = { host: target.host, port: target.port, user: 'postgres' };
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
    let at = 0;
    const write = (count: number) =>
      Promise.all(Array.from({ length: count }, () => log.append(rejection(`e${++at}`))));
    for (let round = 0; round < 4; round += 1) {
      await write(700);
      await asAdministrator(server, cut);
    }
    await log.count({});
    await asAdministrator(server, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    await asAdministrator(server, cut);
    await write(50);
    await vi.waitFor(() => expect(log.progress().shipping?.failures).toBeGreaterThan(0));
    await expect(log.query({ limit: 1 })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('read-only'),
    });
    expect(log.progress().shipping?.lagMs).toBeGreaterThan(0);
    await log.close();
    await asAdministrator(server, `ALTER DATABASE ${database} RESET default_transaction_read_only`);
    const again = await openedIn(join(file, '..'), postgres, 1);
    await again.log.append(rejection('last'));
    expect(await again.log.count({})).toBe(at + 1);
    expect(again.log.progress().shipping).toMatchObject({ through: at + 1, lagMs: 0, failures: 0 });
    expect(await rowsIn(postgres)).toEqual(rowsOf(file));
  });

  test('a copy of a data directory is refused with its difference, and the first one continues', async () => {
    const postgres = await postgresDatabase();
    const { log, file } = await openedIn(await temporaryFolder(), postgres, 1);
    await log.append(rejection('e1'));
    await log.count({});
    await log.close();
    const copy = join(await temporaryFolder(), 'copy');
    mkdirSync(copy);
    cpSync(join(file, '..'), copy, { recursive: true });
    const first = await openedIn(join(file, '..'), postgres, 1);
    const second = await openedIn(copy, postgres, 1, 1500);
    await second.log.count({});
    await first.log.append(rejection('e2'));
    await first.log.count({});
    // The database has an event with this number, of the first one.
    expect(await second.log.append(rejection('other'))).toMatchObject({ sequence: 2, shipped: false });
    await expect(second.log.count({})).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('another daemon has used a copy of this data directory'),
    });
    await first.log.append(rejection('e3'));
    expect(await first.log.count({})).toBe(3);
    expect(await rowsIn(postgres)).toEqual(rowsOf(first.file));
    expect(await inDatabase(postgres, 'SELECT node, sequence FROM ambit.audit_conflicts')).toEqual([
      { node: 1, sequence: '2' },
    ]);
  });

  test('a batch changes nothing under a lease that the node does not have, and continues under its next one', async () => {
    const postgres = await postgresDatabase();
    const file = join(await temporaryFolder(), 'audit.db');
    const log = await openAuditLog({
      file,
      postgres,
      node: { node: 1, name: 'one' },
      ships: { answersWaitMs: 0, nodeKey: nodeKey() },
    });
    onTestFinished(() => log.close());
    const first = await heldLease(postgres, 1);
    let lease = first;
    await log.append(rejection('e1'));
    expect(await rowsIn(postgres)).toEqual([]);
    log.shipping?.begin(() => lease);
    expect(await log.count({})).toBe(1);
    const shipped = await rowsIn(postgres);
    for (const change of [
      'epoch = epoch + 1',
      "instance = '00000000-0000-4000-8000-000000000002'",
      "state = 'retired'",
    ]) {
      await inDatabase(postgres, `UPDATE ambit.nodes SET ${change}`);
      await log.append(rejection(change));
      await expect(log.count({})).rejects.toMatchObject({
        code: 'AUDIT_UNAVAILABLE',
        message: expect.stringContaining('the node has lost its lease, or was retired'),
      });
      expect(await rowsIn(postgres)).toEqual(shipped);
      await inDatabase(
        postgres,
        `UPDATE ambit.nodes SET epoch = ${first.epoch}, instance = '${first.instance}', state = 'active'`,
      );
    }
    await inDatabase(postgres, 'UPDATE ambit.nodes SET epoch = 7');
    lease = { ...first, epoch: 7 };
    expect(await log.count({})).toBe(4);
    expect(await rowsIn(postgres)).toEqual(rowsOf(file));
  });

  test('what the log prunes leaves the database too, from the rows and from the index', async () => {
    const postgres = await postgresDatabase();
    const { log, file } = await openedIn(await temporaryFolder(), postgres, 1);
    for (let at = 1; at <= 3; at += 1)
      await log.append(rejection(`e${at}`), { of: 'input', text: `a secret ${at}`, isCut: false });
    await log.append({ ...rejection('new'), time: Date.now() });
    expect(await ids(log, { text: 'secret' })).toEqual(['e3', 'e2', 'e1']);
    const rules = { retentionDays: 1, retentionBytes: null, prune: 'payloads' as const };
    await pruneLog(log, rules, Date.now);
    expect(await ids(log, { text: 'secret' })).toEqual([]);
    expect(await ids(log, {})).toEqual(['new', 'e3', 'e2', 'e1']);
    const left = `SELECT (SELECT count(*)::INT FROM ambit.audit_payloads) AS payloads, (SELECT count(*)::INT FROM ambit_audit.texts) AS texts`;
    await vi.waitFor(async () =>
      expect(await inDatabase(postgres, left)).toEqual([{ payloads: 0, texts: 0 }]),
    );
    await log.close();
    // Events are removed up to a checkpoint.
    const again = await openedIn(join(file, '..'), postgres, 1);
    await pruneLog(again.log, { ...rules, retentionDays: 0, prune: 'events' }, () => Date.now() + 1000);
    expect(await ids(again.log, {})).toEqual([]);
    await vi.waitFor(async () => expect(await rowsIn(postgres)).toEqual(rowsOf(file)));
  });

  test('with answers that wait, a record is in the database when its answer is sent; while it cannot be, calls are refused', async () => {
    const postgres = await postgresDatabase();
    const { log } = await openedIn(await temporaryFolder(), postgres, 1, 1500);
    await log.count({});
    await log.append(beginning('e1'));
    const { sequence } = await log.append(ending('e1'));
    expect(await inDatabase(postgres, 'SELECT max(sequence)::INT AS last FROM ambit.audit_events')).toEqual([
      { last: sequence },
    ]);
    await log.append(beginning('e2'));
    const { host, port, database } = postgres.target;
    await asAdministrator(
      { host, port, user: 'postgres' },
      `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`,
    );
    onTestFinished(() =>
      asAdministrator(
        { host, port, user: 'postgres' },
        `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`,
      ).then(() => undefined),
    );
    await asAdministrator(
      { host, port, user: 'postgres' },
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    // The call has run: its answer is not lost.
    expect(await log.append(ending('e2'))).toMatchObject({ sequence: sequence + 2, shipped: false });
    await expect(log.append(beginning('e3'))).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('no call is started while its record cannot reach the database'),
    });
    await asAdministrator(
      { host, port, user: 'postgres' },
      `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`,
    );
    await vi.waitFor(() => log.append(beginning('e3')));
    expect(await log.append(ending('e3'))).not.toHaveProperty('shipped');
  });
});

type Opened = OpenAuditLog;

async function openedIn(
  folder: string,
  postgres: PostgresSettings,
  node: number,
  answersWaitMs = 0,
): Promise<{ log: Opened; file: string }> {
  const file = join(folder, 'audit.db');
  const name = ['one', 'two', 'three'][node - 1] ?? '';
  const log = await openAuditLog({
    file,
    postgres,
    node: { node, name },
    ships: { answersWaitMs, nodeKey: nodeKey(), lease: await heldLease(postgres, node) },
  });
  onTestFinished(() => log.close());
  return { log, file };
}

async function allPages(log: Opened, limit: number): Promise<CallRecord[]> {
  const records: CallRecord[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const page: AuditPage = await log.query({ limit, ...(before !== undefined && { before }) });
    records.push(...page.records);
    before = page.next;
  }
  return records;
}

async function ids(log: Opened, filter: object): Promise<string[]> {
  return (await log.query({ ...filter, limit: 200 })).records.map(({ executionId }) => executionId);
}

const columns = 'sequence, body, hash';

async function rowsIn(postgres: PostgresSettings): Promise<unknown[]> {
  const rows = await inDatabase(
    postgres,
    `SELECT sequence::INT, body, encode(hash, 'hex') AS hash FROM ambit.audit_events ORDER BY sequence`,
  );
  return rows.map(({ sequence, body, hash }) => ({ sequence, body, hash }));
}

function rowsOf(file: string): unknown[] {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database
      .prepare(`SELECT ${columns.replace('hash', 'lower(hex(hash)) AS hash')} FROM log ORDER BY sequence`)
      .all();
  } finally {
    database.close();
  }
}
