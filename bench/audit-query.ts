import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { AuditEvent, AuditReader, CallStarted, RecordFilter } from '../packages/core/src/audit.ts';
import { canonicalJson } from '../packages/core/src/json.ts';
import { usedNothing } from '../packages/core/src/outcome.ts';
import { noCapabilities } from '../packages/core/src/policy.ts';
import { openAuditLog, readAuditLog } from '../packages/server/src/index.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

const eventsDefault = 5_000_000;
const day = 86_400_000;
const days = 7;
const end = Date.UTC(2026, 5, 1);

/**
 * Queries a log of five million events: the speed of building its index, one page of each kind of
 * query, and the statistics of a day. `AMBIT_BENCH_EVENTS` sets another number of events.
 * `AMBIT_BENCH_POSTGRES` repeats it with an index in PostgreSQL: the URL of an empty database that
 * needs no password, or `1` for a server of the tests.
 */
export async function auditQueryBench(folder: string, rounds: number): Promise<void> {
  const file = join(folder, 'audit.db');
  const events = Number(process.env['AMBIT_BENCH_EVENTS'] ?? eventsDefault);
  await (await openAuditLog({ file })).close();
  const calls = fill(file, events);
  console.log(`Querying a log of ${events} events (${calls} calls over ${days} days)\n`);
  await measure({ file }, events, rounds);
  const postgres = process.env['AMBIT_BENCH_POSTGRES'];
  if (postgres === undefined) return;
  const server = postgres === '1' ? await startPostgres() : undefined;
  try {
    const url = server ? `postgres://${server.user}@${server.host}:${server.port}/postgres` : postgres;
    console.log('\nWith PostgreSQL\n');
    await measure({ file, postgres: settingsOf(new URL(url)) }, events, rounds);
  } finally {
    await server?.stop();
  }
}

type LogOptions = Parameters<typeof readAuditLog>[0];

export function settingsOf({
  hostname,
  port,
  username,
  pathname,
  href,
}: URL): NonNullable<LogOptions['postgres']> {
  const target = {
    host: hostname,
    port: Number(port || 5432),
    user: username,
    database: pathname.slice(1),
    isLocal: true,
    shown: href,
  };
  return { target, tls: null, poolSize: 10, statementTimeoutMs: 10_000, connectTimeoutMs: 5000 };
}

async function measure(options: LogOptions, events: number, rounds: number): Promise<void> {
  const log = await readAuditLog({ ...options, waitMs: 3_600_000 });
  try {
    const startedAt = performance.now();
    await log.count({});
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `index built at ${Math.round(events / seconds)} events/s (${seconds.toFixed(0)} s)\n\n${head()}`,
    );
    for (const [name, ask] of questions(log)) console.log(await timed(name, ask, rounds));
    console.log(`\n${await pairs(log, rounds)}`);
  } finally {
    await log.close();
  }
}

type Ask = () => Promise<unknown>;

export function questions(log: AuditReader): [string, Ask][] {
  const page = (filter: RecordFilter) => (): Promise<unknown> => log.query({ ...filter, limit: 50 });
  const lastDay = { since: end - day, until: end };
  return [
    ['newest', page({})],
    ['a skill', page({ skill: 'skill-7' })],
    ['a rare skill', page({ skill: 'skill-99' })],
    ['an outcome', page({ outcome: 'failed' })],
    ['a rare outcome', page({ outcome: 'out-of-memory' })],
    ['running', page({ outcome: 'running' })],
    ['an actor', page({ actor: 'actor-3' })],
    ['tier and outcome', page({ tier: 'untrusted', outcome: 'out-of-memory' })],
    ['via and outcome', page({ via: 'cli', outcome: 'timed-out' })],
    ['a denied capability', page({ denied: 'network' })],
    ['a skill, a denied capability', page({ skill: 'skill-42', denied: 'filesystem.read' })],
    ['a skill and an outcome', page({ skill: 'skill-99', outcome: 'timed-out' })],
    ['a skill and an actor', page({ skill: 'skill-99', actor: 'actor-9' })],
    ['skill, actor, outcome', page({ skill: 'skill-99', actor: 'actor-9', outcome: 'failed' })],
    ['an hour of one day', page({ since: end - 3 * day, until: end - 3 * day + 3_600_000 })],
    ['a skill on one day', page({ skill: 'skill-99', since: end - 4 * day, until: end - 3 * day })],
    ['failed on one day', page({ outcome: 'failed', since: end - 5 * day, until: end - 4 * day })],
    ['an unknown skill', page({ skill: 'no-such' })],
    ['an execution', page({ executionId: idOf(4711) })],
    ['a chain', page({ parentId: 'chain-100' })],
    ['a common word', page({ text: 'Report' })],
    ['a rare word', page({ text: 'needle-4242' })],
    ['a word in no record', page({ text: 'haystack' })],
    ['a word, in a skill', page({ text: 'needle', skill: 'skill-42' })],
    ['two letters, failed', page({ text: 'nd', outcome: 'failed' })],
    ['a page near the start', () => log.query({ before: 1_000_000, limit: 50, outcome: 'failed' })],
    ['count of a skill', () => log.count({ skill: 'skill-7' })],
    ['count of a day', () => log.count(lastDay)],
    ['stats of a day', () => log.stats(lastDay)],
    ['stats of a day by hour', () => log.stats({ ...lastDay, bucketMs: 3_600_000 })],
    ['stats of a day, a skill', () => log.stats({ ...lastDay, skill: 'skill-7' })],
    ['stats from any second', () => log.stats({ since: end - day + 12_345, until: end - 23_456 })],
    ['stats of all', () => log.stats({})],
  ];
}

/** A page for each filter of a list, combined with each filter of another kind. */
async function pairs(log: AuditReader, rounds: number): Promise<string> {
  const times: number[] = [];
  const partial: string[] = [];
  const slow: [string, number][] = [];
  for (const [at, one] of single.entries())
    for (const other of single.slice(at + 1)) {
      if (Object.keys(one).some((key) => key in other)) continue;
      const filter = { ...one, ...other };
      const name = Object.values(filter).join(' + ');
      const ofPair: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const startedAt = performance.now();
        const page = await log.query({ ...filter, limit: 50 });
        ofPair.push(performance.now() - startedAt);
        if (round === 0 && page.partial === true) partial.push(name);
      }
      times.push(...ofPair);
      slow.push([name, percentile(ofPair, 95)]);
    }
  slow.sort(([, a], [, b]) => b - a);
  return [
    `${slow.length} pairs of filters${percentile(times, 50).toFixed(2).padStart(9)}${percentile(times, 95).toFixed(2).padStart(9)}`,
    ...slow.slice(0, 5).map(([name, p95]) => `  slowest: ${name}: ${p95.toFixed(2)}`),
    `  ended early: ${partial.join(', ') || 'none'}`,
  ].join('\n');
}

/** Common and rare values of each filter, among them pairs that never occur together. */
const single: readonly RecordFilter[] = [
  { skill: 'skill-0' },
  { skill: 'skill-99' },
  { actor: 'actor-0' },
  { actor: 'actor-9' },
  { outcome: 'succeeded' },
  { outcome: 'timed-out' },
  { outcome: 'out-of-memory' },
  { tier: 'local' },
  { tier: 'untrusted' },
  { via: 'http' },
  { via: 'cli' },
  { via: 'mcp' },
  { denied: 'network' },
  { since: end - 3 * day, until: end - 3 * day + 3_600_000 },
  { since: end - 5 * day, until: end - 4 * day },
  { parentId: 'chain-100' },
  { text: 'Report' },
  { text: 'needle-4242' },
  { text: 'haystack' },
];

export async function timed(name: string, ask: Ask, rounds: number): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await ask();
    times.push(performance.now() - startedAt);
  }
  const at = (percent: number): string => percentile(times, percent).toFixed(2).padStart(9);
  return `${name.padEnd(28)}${at(50)}${at(95)}`;
}

function percentile(times: readonly number[], percent: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
}

export function head(): string {
  return `${'milliseconds'.padEnd(28)}${'p50'.padStart(9)}${'p95'.padStart(9)}`;
}

/** Writes rows directly, with hashes that are not verified here, from the call `first` on. Returns the number of calls. */
export function fill(file: string, events: number, first = 0): number {
  const database = new Sqlite(file);
  database.pragma('synchronous = OFF');
  const insert = database.prepare(
    'INSERT INTO log (sequence, execution_id, opens, body, hash) VALUES (?, ?, ?, ?, ?)',
  );
  const insertPayload = database.prepare(
    'INSERT INTO payloads (sequence, side, text, is_cut) VALUES (?, ?, ?, 0)',
  );
  const hash = randomBytes(32);
  const calls = Math.floor(events / 2);
  const some = database.transaction((from: number, to: number) => {
    for (let call = from; call < to; call += 1) {
      const [sequence, time] = [call * 2 + 1, Math.floor(end - days * day + (call / calls) * days * day)];
      const { started, finished, input, output } = callOf(first + call, time);
      insert.run(sequence, idOf(first + call), 1, canonicalJson(started), hash);
      insert.run(sequence + 1, idOf(first + call), 0, canonicalJson(finished), hash);
      insertPayload.run(sequence, 'input', input);
      insertPayload.run(sequence + 1, 'output', output);
    }
  });
  for (let from = 0; from < calls; from += 10_000) some(from, Math.min(calls, from + 10_000));
  database.close();
  return calls;
}

function idOf(call: number): string {
  return `01900000-0000-7000-8000-${call.toString(16).padStart(12, '0')}`;
}

/** Generates the same calls each time: many of a few skills, and few of many skills. */
function callOf(
  call: number,
  time: number,
): { started: AuditEvent; finished: AuditEvent; input: string; output: string } {
  const chance = (of: number): number => mixBits(call * 16 + of) / 2 ** 32;
  const skill = Math.floor(100 * chance(1) ** 3);
  const outcome =
    chance(2) < 0.93
      ? 'succeeded'
      : chance(3) < 0.7
        ? 'failed'
        : chance(4) < 0.999
          ? 'timed-out'
          : 'out-of-memory';
  const denied = chance(5) < 0.002 ? (['network', 'filesystem.read'] as const)[call % 2] : undefined;
  const started: CallStarted = {
    kind: 'call.started',
    executionId: idOf(call),
    time,
    via: chance(6) < 0.95 ? 'http' : 'cli',
    actor: `actor-${Math.floor(10 * chance(7) ** 2)}`,
    skill: {
      id: `skill-${skill}`,
      version: '1.2.0',
      digest: `sha256:${'0'.repeat(62)}${skill}`,
      tier: (['local', 'verified', 'untrusted'] as const)[skill % 3] ?? 'local',
    },
    policyDigest: `sha256:${'1'.repeat(64)}`,
    requested: { ...noCapabilities, exec: ['python3'] },
    input: { digest: `sha256:${'2'.repeat(64)}`, bytes: 100 },
  };
  if (call % 50 === 0) started.parentId = `chain-${Math.floor(call / 500)}`;
  return {
    started,
    finished: {
      kind: 'call.finished',
      executionId: idOf(call),
      time: time + 50,
      granted: { ...noCapabilities, exec: ['python3'] },
      limits: {
        timeoutMs: 10_000,
        memoryBytes: 2 ** 28,
        cpuMs: 5000,
        processes: 32,
        fileBytes: 2 ** 26,
        outputBytes: 2 ** 20,
        fuel: null,
      },
      sandbox: 'bubblewrap',
      outcome,
      failure: outcome === 'failed' ? { exitCode: 1 } : null,
      output: { digest: `sha256:${'3'.repeat(64)}`, bytes: 100 },
      usage: {
        durationMs: 5 / (chance(8) + 0.001),
        queueMs: 0.1,
        cpuMs: 3,
        memoryPeakBytes: null,
        fuelConsumed: null,
      },
      used: usedNothing,
      denied:
        denied === undefined
          ? []
          : [
              {
                capability: denied,
                requested: 'x.example:443',
                reason: 'is not granted',
                remedy: 'grants: …',
              },
            ],
    },
    input: `{"name":"customer ${call % 1000}","what":"a report of ${skill}, needle-${call % 100_000}"}`,
    output: `{"lines":${call % 77},"summary":"the Report has been made for ${skill}"}`,
  };
}

/** Mixes the bits of an integer, so neighbouring values are unrelated. */
function mixBits(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  return (bits ^ (bits >>> 16)) >>> 0;
}
