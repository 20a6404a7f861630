import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import {
  openPostgresStore,
  settingsFor,
  steps,
  transactionsIn,
} from '../packages/server/src/store/testing/postgres-databases.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { treeCpuMs } from './load/process-tree.ts';

/** The scale to which figures are extrapolated. */
const scale = { nodes: 1000, callsPerNode: 10, heartbeatSeconds: 2, eventsPerCall: 2, batchEvents: 50 };
const lanes = 8;

/** An operation, and how often each second all nodes together do it. */
interface Work {
  name: string;
  perSecond: number;
  run(lane: number, count: number): Promise<unknown>;
}

/**
 * The real operations of a cluster with a thousand nodes, each measured alone against a real PostgreSQL, and added up: how much
 * processor time the database needs each second. It is a model: it leaves out what operations cost each other.
 */
export async function clusterScaleBench(_folder: string, rounds: number): Promise<void> {
  const server = await startPostgres({ max_connections: '50' });
  const settings = { ...settingsFor(server, 'postgres'), poolSize: lanes, statementTimeoutMs: 30_000 };
  const store = openPostgresStore(settings, { use: 'beside' });
  const direct = transactionsIn(settings, { use: 'beside' });
  const { nodes, callsPerNode, heartbeatSeconds, eventsPerCall, batchEvents } = scale;
  const calls = nodes * callsPerNode;
  const leaseMs = 3_600_000;
  try {
    await store.run('createCluster', { id: randomUUID(), authority: 'A' });
    const certificate = 'c'.repeat(800);
    for (let id = 1; id <= nodes; id += 1) {
      const entry = { sequence: id, statement: '{}', node: 1, signature: 's' };
      await store.run(
        'addNode',
        { id, name: `n${id}`, advertise: `10.0.0.1:${id}`, certificate },
        null,
        entry,
      );
      const start = { instance: 'i', known: ['i'], compared: null, version: '0', leaseMs };
      await store.run('startNode', id, { ...start, advertise: `10.0.0.1:${id}` });
    }
    const body = Buffer.alloc(600, 'x');
    const event = 'e'.repeat(500);
    const works: Work[] = [
      {
        name: 'renew a lease',
        perSecond: nodes / heartbeatSeconds,
        run: (lane, count) =>
          store.run('renewLease', 1 + ((lane + count * lanes) % nodes), 1, 'i', leaseMs, '[]'),
      },
      {
        name: 'list the nodes',
        perSecond: nodes / heartbeatSeconds,
        run: () => store.run('listNodes'),
      },
      {
        name: 'look for ended leases',
        perSecond: nodes / heartbeatSeconds,
        run: () => store.run('findEndedLeases'),
      },
      { name: 'poll the keys', perSecond: nodes, run: () => store.run('keysRevision') },
      {
        name: 'claim a key',
        perSecond: calls,
        run: (lane, count) =>
          store.run(
            'claim',
            {
              name: `${lane}-${count}`,
              owner: 'o',
              executionId: randomUUID(),
              fingerprint: 'f',
              claimedAt: Date.now(),
              holder: { node: 1 + lane, epoch: 1 },
            },
            0,
          ),
      },
      {
        name: 'claim a key and store its answer',
        perSecond: calls,
        async run(lane, count) {
          const [name, executionId] = [`a${lane}-${count}`, randomUUID()];
          const holder = { node: 1 + lane, epoch: 1 };
          const claim = { name, owner: 'o', executionId, fingerprint: 'f', claimedAt: Date.now(), holder };
          await store.run('claim', claim, 0);
          await store.run('storeResponse', name, executionId, { head: '{}', body }, holder);
        },
      },
      {
        name: `ship ${batchEvents} events`,
        perSecond: (calls * eventsPerCall) / batchEvents,
        run: (lane, count) =>
          direct.run(() =>
            steps([
              'INSERT INTO audit_events (node, sequence, execution_id, opens, body, hash) SELECT ?, ? + number, NULL, 0, ?, ? FROM generate_series(1, ?) AS number',
              ...[lane + 1, count * batchEvents, event, Buffer.alloc(32), batchEvents],
            ]),
          ),
      },
    ];
    const ms = Math.max(1000, rounds * 20);
    console.log(
      `The database of ${nodes} nodes at ${callsPerNode} calls/s, each operation alone for ${ms} ms over ${lanes} connections, load before ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
    );
    const measured = [];
    for (const work of works) measured.push({ ...work, ...(await measure(work, ms, server.pid())) });
    for (const { name, rate, cpuUs, perSecond } of measured)
      console.log(
        `  ${name.padEnd(34)} ${rate.toFixed(0).padStart(6)}/s here, ${cpuUs.toFixed(0).padStart(6)} µs of the server; ${perSecond.toFixed(0).padStart(6)}/s needed: ${((perSecond * cpuUs) / 1e6).toFixed(2).padStart(6)} cores`,
      );
    const all = measured.filter(({ name }) => name !== 'claim a key');
    const cores = all.map(({ name, cpuUs, perSecond }) => ({ name, cores: (perSecond * cpuUs) / 1e6 }));
    const [first] = cores.toSorted((a, b) => b.cores - a.cores);
    const total = cores.reduce((sum, each) => sum + each.cores, 0);
    console.log(
      `\n  together ${total.toFixed(1)} cores of this kind if each call has a key; first bottleneck: ${first?.name} (${first?.cores.toFixed(1)} cores)\n`,
    );
  } finally {
    await store.close();
    await direct.close();
    await server.stop();
  }
}

async function measure({ run }: Work, ms: number, pid: number): Promise<{ rate: number; cpuUs: number }> {
  const before = treeCpuMs(pid);
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let count = 0; performance.now() < startedAt + ms; count += 1) {
        await run(lane, count);
        done += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const after = treeCpuMs(pid);
  const cpuMs = after.own + after.below - before.own - before.below;
  return { rate: done / seconds, cpuUs: (cpuMs * 1000) / done };
}
