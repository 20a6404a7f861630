import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { asAdministrator } from '../packages/server/src/store/testing/postgres-databases.ts';
import { startCluster } from '../test/support/cluster.ts';
import { type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { verdict } from './compare.ts';
import { loadGenerator } from './load/load-generator.ts';
import { printedSummaries, type Slice, slice, summary } from './load/slices.ts';

const connections = 32;
const [warmUpMs, turnMs] = [4000, 1000];
const targets = { unkeyed: 0.9, keyed: 0.5, lagMs: 500 };

/**
 * The cost of coordination: a saturated node of a cluster and a daemon without one, with and without idempotency keys, and how
 * long its audit events take to the database. The database runs on the same machine, which therefore has less for the node.
 */
export async function clusterBench(folder: string, rounds: number): Promise<void> {
  const generator = loadGenerator();
  const server = await startPostgres({ track_commit_timestamp: 'on' });
  const place = join(folder, 'lone');
  await mkdir(place);
  const lone = await daemonProcess(place, {}, { logFile: join(place, 'log') });
  const url = `postgres://${server.user}@${server.host}:${server.port}/postgres`;
  const { nodes } = await startCluster(join(folder, 'cluster'), url, ['a'], { logLevel: 'silent' });
  const [node] = nodes as [Daemon];
  const load = ({ url: at, key, pid }: Daemon, ms: number, unique: object) =>
    slice(pid, () =>
      generator.run({
        url: `${at}/skills/text-redact/execute`,
        connections,
        ms,
        holds: '[redacted-email]',
        ...unique,
        body: JSON.stringify({ input: { text: 'mail ada@example.org' } }),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      }),
    );
  const keyed = { uniqueHeader: 'idempotency-key' };
  const contenders = {
    'without a cluster': (ms: number) => load(lone, ms, {}),
    'a node': (ms: number) => load(node, ms, {}),
    'without a cluster, keyed': (ms: number) => load(lone, ms, keyed),
    'a node, keyed': (ms: number) => load(node, ms, keyed),
  };
  const names = Object.keys(contenders) as (keyof typeof contenders)[];
  const slices = new Map<string, Slice[]>(names.map((name) => [name, []]));
  const turns = Math.max(2, Math.round(rounds / 10));
  const before = loadavg()[0] ?? 0;
  let lag: Lag;
  try {
    for (const name of names) for (let turn = 0; turn < 2; turn += 1) await contenders[name](warmUpMs);
    const since = Date.now();
    for (let turn = 0; turn < turns; turn += 1)
      for (const name of names) slices.get(name)?.push(await contenders[name](turnMs));
    // A node sends the rest of its log before it ends.
    await node.stop();
    lag = await shippingLag(server, since);
  } finally {
    await node.stop('SIGKILL');
    await lone.stop();
    await server.stop();
    generator.close();
  }
  const summaries = Object.fromEntries([...slices].map(([name, some]) => [name, summary(some)]));
  console.log(
    `One node: ${connections} calls at a time, ${turns} turns of ${turnMs} ms, load before ${before.toFixed(1)}\n`,
  );
  console.log(printedSummaries(summaries));
  const rate = (name: keyof typeof contenders): number => summaries[name]?.perSecond ?? Number.NaN;
  const unkeyed = rate('a node') / rate('without a cluster');
  const withKeys = rate('a node, keyed') / rate('without a cluster, keyed');
  verdict(unkeyed >= targets.unkeyed, `without keys, at least ${targets.unkeyed}: ${unkeyed.toFixed(2)}`);
  verdict(withKeys >= targets.keyed, `with keys, at least ${targets.keyed}: ${withKeys.toFixed(2)}`);
  const { events, median, p99, max } = lag;
  verdict(
    p99 <= targets.lagMs,
    `shipping lag p99 of ${events} events, at most ${targets.lagMs} ms: ${p99.toFixed(0)} ms (median ${median.toFixed(0)}, max ${max.toFixed(0)})`,
  );
  console.log('');
}

/** From the time of an event to the commit that has it in the database, in milliseconds. */
interface Lag extends Record<string, number> {
  events: number;
  median: number;
  p99: number;
  max: number;
}

/** The lag of every event since a time. */
async function shippingLag(server: PostgresServer, since: number): Promise<Lag> {
  const [lag] = await asAdministrator(
    server,
    `SELECT CAST(count(*) AS FLOAT8) AS events, max(ms), percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS median,
      percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS p99
    FROM (
      SELECT CAST(extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 AS FLOAT8) - time AS ms
      FROM (SELECT xmin, CAST(CAST(body AS JSON) ->> 'time' AS FLOAT8) AS time FROM ambit.audit_events) AS events
      WHERE time >= ${since}) AS lags`,
  );
  return lag as Lag;
}
