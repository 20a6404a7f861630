import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../test/support/cluster.ts';
import { type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { verdict } from './compare.ts';
import { loadGenerator } from './load/load-generator.ts';
import { printedSummaries, type Slice, slice, summary } from './load/slices.ts';

const connections = 32;
const [warmUpMs, turnMs] = [4000, 1000];
const targets = { unkeyed: 0.9, keyed: 0.5 };

/**
 * What coordination costs: a saturated node of a cluster in turn with a daemon without one, with and without idempotency keys. The
 * database runs on the same machine, which therefore has less for the node.
 */
export async function clusterBench(folder: string, rounds: number): Promise<void> {
  const generator = loadGenerator();
  const server = await startPostgres();
  const place = join(folder, 'lone');
  await mkdir(place);
  const lone = await daemonProcess(place, {}, { logFile: join(place, 'log') });
  const url = `postgres://${server.user}@${server.host}:${server.port}/postgres`;
  const { nodes } = await startCluster(join(folder, 'cluster'), url, ['a'], { logLevel: 'silent' });
  const [node] = nodes as [Daemon];
  const load = ({ url: at, key, pid }: Daemon, ms: number, unique: object) =>
    slice(pid, () =>
      generator.run({
        ...{ url: `${at}/skills/text-redact/execute`, connections, ms, holds: '[redacted-email]', ...unique },
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
  try {
    for (const name of names) for (let turn = 0; turn < 2; turn += 1) await contenders[name](warmUpMs);
    for (let turn = 0; turn < turns; turn += 1)
      for (const name of names) slices.get(name)?.push(await contenders[name](turnMs));
  } finally {
    await node.stop();
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
  console.log('');
}
