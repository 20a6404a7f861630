import { join } from 'node:path';
import type { AuditEvent, AuditReader } from '@ambit/core/audit';
import {
  canonicalJson,
  entryPoints,
  outcomeFilters,
  type RecordFilter,
  type StatsQuery,
} from '@ambit/core/internal';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresDatabase, socketVariable } from '../../store/testing/postgres-databases.ts';
import { openAuditLog } from '../open-audit-log.ts';
import { startShipping } from '../ship/shipping.ts';
import { finished, rejection, started, temporaryFolder, usage } from '../testing/audit-files.ts';
import { heldLease, nodeKey } from '../testing/cluster-logs.ts';
import { readAuditLog } from './read-audit-log.ts';

/** Another one makes another log, and asks other questions. */
const seed = 1;

/** Parts of texts, of which some fold, match patterns or cannot be stored unchanged. */
const pieces = [
  ...['%', '_', '\\', '"', "'", '\0', '😀', 'İ', 'ı', 'I', 'ß', 'ẞ', 'Σ', 'ς', 'σ', 'é', 'e\u0301', 'É'],
  ...[
    'abc',
    'ABC',
    'a%c',
    'a_c',
    'a\\c',
    ' ',
    '\n',
    '日本語',
    '\\u0000',
    '$1',
    'ΑΣ',
    'ﬁ',
    'Ⅷ',
    'Ǆ',
    '\ufffd',
    'x',
    'q7',
    '--',
    ';',
    '\u0130\u0307',
    'K',
  ],
];

describe.runIf(process.env[socketVariable] !== undefined)('indexes in PostgreSQL', () => {
  test('answer like one in SQLite, for random logs, filters and pages', async () => {
    const random = randomFrom(seed);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const text = (length: number) =>
      Array.from({ length: 1 + Math.floor(random() * length) }, () => pick(pieces)).join('');
    const folder = temporaryFolder();
    const file = join(folder, 'audit.db');
    await (await openAuditLog({ file })).close();
    const node = { node: 1, name: 'one' };
    const [postgres, cluster] = [await postgresDatabase(), await postgresDatabase()];
    const onFailure = (error: unknown): void => {
      if (error !== undefined) throw error;
    };
    const shipping = startShipping({
      file,
      owner: node,
      nodeKey: nodeKey(),
      postgres: cluster,
      isAwaited: true,
      onFailure,
    });
    onTestFinished(() => shipping.close());
    const lease = await heldLease(cluster, node.node);
    shipping.begin(() => lease);
    const readers: AuditReader[] = [];
    for (const options of [{}, { postgres }, { postgres: cluster, node }]) {
      const reader = await readAuditLog({ file, ...options });
      onTestFinished(() => reader.close());
      readers.push(reader);
    }
    const [sqlite, ...others] = readers as [AuditReader, ...AuditReader[]];
    const database = new Sqlite(file);
    onTestFinished(() => void database.close());
    const insert = database.prepare(
      'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
    );
    const keep = database.prepare('INSERT INTO payloads (sequence, side, text, is_cut) VALUES (?, ?, ?, 0)');
    const head = database.prepare<[], number>('SELECT max(sequence) FROM log').pluck();
    const skills = ['s', 'acme:s', 's%', 's_', "s'", '"s"', 's\\', 's\0', '😀', 'ß', 'S', ''];
    const actors = ['key', 'Key', 'k_y', null, 'other'];
    const capabilities = ['network', 'filesystem.read', 'env', 'exec', 'run'] as const;
    const open: string[] = [];
    let sequence = head.get() ?? 0;
    let time = 1e12;
    let calls = 0;
    const parents = ['p1', 'p2', "p'", 'p\0', ''];
    const add = (event: object, id: string | null, opens: number, payload?: string, side = 'input') => {
      sequence += 1;
      insert.run(sequence, id, opens, canonicalJson(event as AuditEvent), Buffer.alloc(32, sequence % 251));
      if (payload !== undefined) keep.run(sequence, side, payload);
    };
    const grow = (steps: number) =>
      database.transaction(() => {
        for (let step = 0; step < steps; step += 1) {
          time += Math.floor((random() - 0.2) * 2000);
          const what = random();
          if (what < 0.45) {
            const id = `e${++calls}`;
            const skill = pick(skills);
            add(
              started(id, {
                time,
                via: pick(entryPoints),
                actor: pick(actors),
                skill:
                  random() < 0.3
                    ? { id: skill }
                    : {
                        id: skill,
                        version: null,
                        digest: 'sha256:d',
                        tier: pick(['local', 'verified', 'untrusted']),
                      },
                ...(random() < 0.2 ? { parentId: pick(parents) } : {}),
              }),
              ...([id, 1, random() < 0.7 ? text(12) : undefined] as const),
            );
            open.push(id);
          } else if (what < 0.55)
            add(
              {
                ...rejection(`e${++calls}`),
                time,
                actor: pick(actors),
                kind: pick(['request.denied', 'auth.rejected']),
              },
              `e${calls}`,
              1,
            );
          else if (open.length > 0 && what < 0.97) {
            const id = open.splice(Math.floor(random() ** 2 * open.length), 1)[0] ?? '';
            const denied =
              random() < 0.6
                ? []
                : Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
                    ...{ capability: pick(capabilities), requested: 'x', reason: 'is x', remedy: 'do x' },
                  }));
            const end = random();
            if (end < 0.6)
              add(
                finished(id, {
                  time,
                  usage: usage(random() < 0.1 ? 0 : random() * 10 ** Math.floor(random() * 6 - 2)),
                  outcome: pick(['succeeded', 'failed', 'timed-out', 'canceled']),
                  denied,
                }),
                id,
                0,
                random() < 0.7 ? text(12) : undefined,
                'output',
              );
            else if (end < 0.9)
              add(
                {
                  kind: 'call.denied',
                  executionId: id,
                  time,
                  code: 'CAPABILITY_DENIED',
                  message: 'm',
                  denied,
                },
                id,
                0,
              );
            else add({ kind: 'call.interrupted', executionId: id, time }, id, 0);
          } else add({ kind: 'daemon.stopped', time, reason: 'r' }, null, 0);
        }
      })();
    const prune = (what: 'events' | 'payloads', through: number) =>
      database.transaction(() => {
        for (const key of what === 'events'
          ? ['events_pruned_through', 'payloads_pruned_through']
          : ['payloads_pruned_through'])
          database
            .prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
            .run(key, String(through));
        add(
          {
            kind: 'log.pruned',
            time,
            what,
            through,
            hash: 'sha256:h',
            count: through,
            keyId: 'k',
            signature: 's',
          },
          null,
          0,
        );
        database.prepare('DELETE FROM payloads WHERE sequence <= ?').run(through);
        if (what === 'events') database.prepare('DELETE FROM log WHERE sequence <= ?').run(through);
      })();
    const some = (): RecordFilter => {
      const all: Required<Omit<RecordFilter, 'node'>> = {
        skill: pick(skills),
        actor: pick(['key', 'Key', 'k_y', 'other', 'k%']),
        outcome: pick(outcomeFilters),
        tier: pick(['local', 'verified', 'untrusted']),
        via: pick(entryPoints),
        denied: pick(capabilities),
        since: Math.floor(1e12 + random() * (time - 1e12)),
        until: Math.floor(1e12 + random() * (time - 1e12)),
        text: text(3),
        executionId: `e${Math.floor(random() * calls)}`,
        parentId: pick(parents),
      };
      const names = Object.keys(all) as (keyof typeof all)[];
      const chosen = new Set([pick(names), pick(names), ...(random() < 0.3 ? [pick(names)] : [])]);
      return Object.fromEntries(Object.entries(all).filter(([name]) => chosen.has(name as never)));
    };
    const compare = async (rounds: number) => {
      shipping.onWritten(sequence);
      await shipping.caughtUp();
      for (let round = 0; round < rounds; round += 1) {
        const filter = some();
        const shown = JSON.stringify(filter);
        const limit = pick([1, 7, 200]);
        const before = random() < 0.2 ? Math.floor(random() * sequence) : undefined;
        const found = await walked(sqlite, filter, limit, before);
        const count = await sqlite.count(filter);
        for (const other of others) {
          // The cursors of a cluster are places.
          if (other === others.at(-1) && before !== undefined) continue;
          expect(await walked(other, filter, limit, before), shown).toEqual(found);
          expect([shown, await other.count(filter)]).toEqual([shown, count]);
        }
        if (before === undefined && round % 4 === 0) {
          const atNode = { ...filter, node: node.name };
          const cluster = others.at(-1) as AuditReader;
          expect(await walked(cluster, atNode, limit), shown).toEqual(found);
          expect(await walked(cluster, { ...filter, node: 'two' }, limit), shown).toEqual([]);
          expect(await walked(sqlite, atNode, limit), shown).toEqual([]);
          expect([await cluster.count(atNode), await sqlite.count(atNode)], shown).toEqual([count, 0]);
        }
        const { skill, since, until } = filter;
        const asked: StatsQuery = {
          ...(skill === undefined ? {} : { skill }),
          ...(since === undefined ? {} : { since }),
          ...(until === undefined ? {} : { until }),
          ...(random() < 0.5 ? { bucketMs: Math.ceil(random() * 1e6) } : {}),
        };
        if (asked.until === undefined) asked.until = time + 1;
        const stats = await sqlite.stats(asked);
        for (const other of others) expect([asked, await other.stats(asked)]).toEqual([asked, stats]);
      }
    };
    const [events, rounds] = process.env['TEST_WHOLE'] === '1' ? [300, 12] : [150, 5];
    for (const pruned of [undefined, 'payloads', undefined, 'events', 'events'] as const) {
      grow(events);
      await compare(rounds);
      if (pruned !== undefined) prune(pruned, Math.floor(sequence * (0.2 + random() * 0.5)));
      await compare(rounds);
    }
  });
});

/** All records, page after page. */
async function walked(log: AuditReader, filter: RecordFilter, limit: number, start?: number) {
  const found: string[] = [];
  let before = start;
  for (;;) {
    const page = await log.query({ ...filter, limit, ...(before === undefined ? {} : { before }) });
    found.push(...page.records.map(({ executionId }) => executionId));
    if (page.next === null) return found;
    if (before !== undefined && page.next >= before)
      throw new Error(`a cursor goes from ${before} to ${page.next}`);
    before = page.next;
  }
}

function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
