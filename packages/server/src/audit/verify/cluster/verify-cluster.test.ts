// Threat model: T346, T348

import { createPrivateKey, createPublicKey, hash } from 'node:crypto';
import { join } from 'node:path';
import type { AuditEvent, ClusterVerification } from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../../test/support/temporary-folder.ts';
import type { PostgresSettings } from '../../../store/postgres/postgres-settings.ts';
import { type Transactions, transactionsIn } from '../../../store/postgres/transactions.ts';
import {
  inDatabase,
  postgresDatabase,
  socketVariable,
  steps,
} from '../../../store/testing/postgres-databases.ts';
import { openAuditLog } from '../../open-audit-log.ts';
import { pruneLog } from '../../retention/prune-log.ts';
import { beginning, ending, rejection } from '../../testing/audit-files.ts';
import { heldLease, nodeKey } from '../../testing/cluster-logs.ts';
import { extendTree } from '../../tree/extend-tree.ts';
import { nodeSigner } from '../../tree/tree-key.ts';
import { type ClusterEntry, type KnownNode, verifyCluster } from './verify-cluster.ts';

const names = ['one', 'two', 'three'];
const text = 'a\0b';

/** Two stopped nodes and a lost one, with their logs in one database. */
describe.runIf(process.env[socketVariable] !== undefined)('verifying a cluster', () => {
  const keys = [nodeKey(), nodeKey(), nodeKey()];
  const nodes: KnownNode[] = names.map((name, at) => ({
    id: at + 1,
    name,
    key: createPublicKey(createPrivateKey(keys[at] ?? '')),
    isRetired: false,
    isLeased: false,
  }));
  const entries: ClusterEntry[] = [];
  const ends: (() => Promise<unknown>)[] = [];
  let postgres: PostgresSettings;
  let transactions: Transactions;
  let local: { file: string; node: number };

  const addEntry = (kind: string, node: number): void => {
    const sequence = entries.length + 1;
    const statement = canonicalJson({
      cluster: 'c',
      sequence,
      time: sequence,
      by: 1,
      kind,
      node,
      name: names[node - 1],
      epoch: 1,
    });
    entries.push({ sequence, statement, node: 1, signature: nodeSigner(keys[0] ?? '').sign(statement) });
  };
  const verified = (more: object = {}): Promise<ClusterVerification> =>
    verifyCluster({ transactions, nodes, entries, ...more });
  const sqlIn = (statement: string) => inDatabase(postgres, statement);

  beforeAll(async () => {
    postgres = await postgresDatabase(undefined, (end) => void ends.push(end));
    transactions = transactionsIn(postgres, { use: 'beside' });
    ends.push(() => transactions.close());
    for (const [at, name] of names.entries()) {
      const file = join(await temporaryFolder({}, (end) => void ends.push(end)), 'audit.db');
      const node = { node: at + 1, name };
      const lease = await heldLease(postgres, at + 1);
      const ships = { answersWaitMs: 0, nodeKey: keys[at] ?? '', lease };
      const log = await openAuditLog({ file, postgres, node, ships });
      await log.append({ kind: 'daemon.started', time: 1, version: '1', policyDigest: 'p' });
      for (let call = 0; call < 5; call += 1) {
        const stored = { digest: `sha256:${hash('sha256', text)}`, bytes: text.length };
        const begun = { ...beginning(`${name}${call}`), stored } as AuditEvent;
        await log.append(begun, { of: 'input', text, isCut: false });
        await log.append(ending(`${name}${call}`));
      }
      await log.append(beginning(`${name}-open`));
      if (at < 2) await log.append({ kind: 'daemon.stopped', time: 2, reason: 'r' });
      await log.close();
      if (at === 0) local = { file, node: 1 };
      addEntry('node.joined', at + 1);
    }
    addEntry('node.lost', 3);
    await transactions.run(() =>
      steps(
        ...entries.map(
          ({ sequence, statement, node, signature }) =>
            ['INSERT INTO cluster_log VALUES (?, ?, ?, ?)', sequence, statement, node, signature] as const,
        ),
      ),
    );
    while ((await transactions.run(() => extendTree(2, nodeSigner(keys[1] ?? '')))) > 0);
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  /** Changes the database, verifies it, and takes the change back. */
  const spoiled = async (spoil: string, more: object = {}): Promise<readonly string[]> => {
    const tables = [
      'audit_logs',
      'audit_events',
      'audit_payloads',
      'audit_checkpoints',
      'audit_keys',
      'audit_conflicts',
      'tree',
      'tree_tiles',
      'tree_leaves',
      'tree_heads',
    ];
    await sqlIn(tables.map((table) => `CREATE TABLE ambit.copy_${table} AS TABLE ambit.${table}`).join('; '));
    await sqlIn(
      spoil.replaceAll(/\b((?:audit|tree)_\w+|\btree\b)/g, (name) =>
        tables.includes(name) ? `ambit.${name}` : name,
      ),
    );
    const { findings } = await verified(more);
    await sqlIn(
      tables
        .map(
          (table) =>
            `TRUNCATE ambit.${table}; INSERT INTO ambit.${table} SELECT * FROM ambit.copy_${table}; DROP TABLE ambit.copy_${table}`,
        )
        .join('; '),
    );
    return findings.map(({ reason, node, message }) => `${reason} ${node}: ${message}`);
  };

  test('untouched logs are intact, and a lost node has bounds', async () => {
    const found = await verified({ local });
    expect(found.findings).toEqual([]);
    expect(found).toMatchObject({ intact: true, tree: { size: 10, heads: 1 }, localThrough: 13 });
    expect(
      found.nodes.map(({ name, end, sentThrough, provenThrough }) => [name, end, sentThrough, provenThrough]),
    ).toEqual([
      ['one', 'stopped', 13, 13],
      ['two', 'stopped', 13, 13],
      ['three', 'lost', 12, 12],
    ]);
    const retired = await verified({ nodes: nodes.map((node) => ({ ...node, isRetired: true })) });
    expect([retired.intact, ...retired.nodes.map(({ end }) => end)]).toEqual([
      ...[true, 'retired', 'retired', 'retired'],
    ]);
  });

  test.each([
    [
      'an event',
      `UPDATE audit_events SET body = replace(body, 'CAPABILITY_DENIED', 'SKILL_NOT_FOUND') WHERE node = 2 AND sequence = 5`,
      'log 2',
      'event 5 was altered',
    ],
    [
      'the hash of an event',
      `UPDATE audit_events SET hash = sha256('x') WHERE node = 2 AND sequence = 5`,
      'log 2',
      'event 5',
    ],
    [
      'the columns of an event',
      `UPDATE audit_events SET execution_id = '"x"' WHERE node = 2 AND sequence = 5`,
      'log 2',
      'columns of event 5',
    ],
    [
      'the order of events',
      'UPDATE audit_events SET sequence = CASE sequence WHEN 4 THEN -5 ELSE -4 END WHERE node = 2 AND sequence IN (4, 5); UPDATE audit_events SET sequence = -sequence WHERE sequence < 0',
      'log 2',
      'event 4',
    ],
    [
      'a missing event',
      'DELETE FROM audit_events WHERE node = 2 AND sequence = 6',
      'log 2',
      'event 6 is missing',
    ],
    [
      'missing events at the end',
      `DELETE FROM audit_events WHERE node = 2 AND sequence > 10; UPDATE audit_logs SET through = 10, hash = (SELECT encode(hash, 'hex') FROM audit_events WHERE node = 2 AND sequence = 10) WHERE node = 2; DELETE FROM audit_checkpoints WHERE node = 2`,
      'log 2',
      'a checkpoint covers event 13',
    ],
    [
      'a payload',
      `UPDATE audit_payloads SET text = '"other"' WHERE node = 2 AND sequence = 2`,
      'log 2',
      'stored input of event 2',
    ],
    [
      'a missing payload',
      'DELETE FROM audit_payloads WHERE node = 2 AND sequence = 4',
      'log 2',
      'stored payload of event 4',
    ],
    [
      'a pruning that no event records',
      'DELETE FROM audit_payloads WHERE node = 2; UPDATE audit_logs SET payloads_pruned = 99 WHERE node = 2',
      'log 2',
      'no pruning was recorded',
    ],
    ['the end of a log', 'UPDATE audit_logs SET through = 12 WHERE node = 2', 'log 2', '12'],
    ['the id of a log', `UPDATE audit_logs SET log_id = 'x' WHERE node = 2`, 'unsigned-log 2', 'vouches'],
    ['a removed log', 'DELETE FROM audit_logs WHERE node = 2', 'log 2', 'was removed'],
    [
      'a checkpoint',
      `UPDATE audit_checkpoints SET signed = replace(signed, '"sequence":13', '"sequence": 13') WHERE node = 2`,
      'forked 2',
      'two checkpoints at event 13',
    ],
    [
      'a checkpoint that is not in the tree',
      'INSERT INTO audit_checkpoints SELECT 2, 7, signed FROM audit_checkpoints WHERE node = 2',
      'tree 2',
      'event 7 is not in the tree',
    ],
    [
      'evidence of a second log',
      `INSERT INTO audit_conflicts VALUES (2, 'other', 4, 'hash', 'now')`,
      'forked 2',
      'different event 4',
    ],
    [
      'a leaf of the tree',
      `UPDATE tree_leaves SET leaf = replace(leaf, 'node.lost', 'node.live') WHERE leaf LIKE '%node.lost%'`,
      'tree null',
      'the tree was rewritten',
    ],
    [
      'a missing leaf',
      'DELETE FROM tree_leaves WHERE number = 4',
      'tree null',
      'leaf 4 of the tree is missing',
    ],
    [
      'a missing last leaf',
      'DELETE FROM tree_leaves WHERE number = 9; UPDATE tree SET size = 9',
      'tree null',
      'no signed head covers the last ones',
    ],
    [
      'a tile',
      `UPDATE tree_tiles SET hashes = sha256('x')`,
      'tree null',
      'tile 0/0 of the tree does not match',
    ],
    [
      'a head',
      `UPDATE tree_heads SET note = replace(note, 'ambit/', 'other/')`,
      'tree-forged null',
      'is not signed by a node',
    ],
    ['a missing head', 'DELETE FROM tree_heads', 'tree null', 'no signed head'],
    [
      'the hash of the tree',
      `UPDATE tree SET root = encode(sha256('x'), 'hex')`,
      'tree null',
      'the stored hash of the tree',
    ],
  ])('finds a change of %s', async (_, spoil, reason, message) => {
    const findings = await spoiled(spoil);
    expect(findings.filter((each) => each.startsWith(`${reason}: `) && each.includes(message))).not.toEqual(
      [],
    );
    expect((await verified({ local })).findings).toEqual([]);
  });

  test('finds a chain that was rewritten with all of its hashes', async () => {
    const findings = await spoiled(
      `UPDATE audit_logs SET log_id = (SELECT log_id FROM audit_logs WHERE node = 1) WHERE node = 2; DELETE FROM audit_events WHERE node = 2; INSERT INTO audit_events SELECT 2, sequence, execution_id, opens, body, hash FROM audit_events WHERE node = 1; UPDATE audit_logs SET hash = (SELECT hash FROM audit_logs WHERE node = 1) WHERE node = 2`,
    );
    expect(findings.some((each) => each.startsWith('unsigned-log 2'))).toBe(true);
  });

  test('finds a node that ended without a trace, unknown nodes, and changed entries about nodes', async () => {
    const silent = await verified({ entries: entries.slice(0, 3), nodes });
    expect(silent.findings.map(({ reason, node }) => [reason, node])).toEqual([
      ['cluster-log', null],
      ['silent', 3],
    ]);
    const running = nodes.map((node) => ({ ...node, isLeased: node.id === 3 }));
    expect((await verified({ nodes: running })).findings).toEqual([]);
    const unknown = await verified({ nodes: nodes.slice(0, 2) });
    expect(unknown.findings.map(({ reason, node }) => [reason, node])).toContainEqual(['cluster-log', 3]);
    const changed = entries.map((entry) => ({
      ...entry,
      statement: entry.statement.replace('node.lost', 'node.live'),
    }));
    expect((await verified({ entries: changed })).findings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining("entry 4 of the cluster's log is not signed by node 1"),
    );
    const keyless = nodes.map((node) => ({ ...node, key: node.id === 2 ? undefined : node.key }));
    expect((await verified({ nodes: keyless })).findings.map(({ reason }) => reason)).toContain(
      'unsigned-log',
    );
  });

  test('finds where the log on this machine differs from the sent one', async () => {
    const findings = await spoiled(
      `UPDATE audit_events SET hash = sha256('x') WHERE node = 1 AND sequence >= 6`,
      { local },
    );
    expect(findings).toContainEqual('unlike-local 1: event 6 on this machine differs from the sent one');
  });

  test('a log with pruned payloads and events is intact', async () => {
    const { file, node } = local;
    const log = await openAuditLog({
      file,
      postgres,
      node: { node, name: 'one' },
      ships: { answersWaitMs: 0, nodeKey: keys[0] ?? '', lease: await heldLease(postgres, 1) },
    });
    await log.interruptOpen(3);
    await log.append({ ...rejection('new'), time: Date.now() });
    const rules = { retentionDays: 1, retentionBytes: null };
    await pruneLog(log, { ...rules, prune: 'payloads' }, Date.now);
    await pruneLog(log, { ...rules, prune: 'events' }, Date.now);
    await log.append({ kind: 'daemon.stopped', time: 4, reason: 'r' });
    await log.close();
    while ((await transactions.run(() => extendTree(1, nodeSigner(keys[0] ?? '')))) > 0);
    const found = await verified({ local });
    expect(found.findings).toEqual([]);
    expect(found.nodes[0]?.log.first).toBeGreaterThan(1);
  });
});
