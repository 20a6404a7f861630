import { generateKeyPairSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { heldLease } from '../packages/server/src/audit/testing/cluster-logs.ts';
import { openAuditLog, readAuditLog } from '../packages/server/src/index.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { fill, head, questions, settingsOf, timed } from './audit-query.ts';

const eventsDefault = 1_000_000;
const nodes = 3;

/**
 * Ships the logs of three nodes with a million events together to PostgreSQL, one after the other, indexes them, and queries
 * them from one node. `AMBIT_BENCH_EVENTS` sets another number of events.
 */
export async function clusterQueryBench(folder: string, rounds: number): Promise<void> {
  const events = Number(process.env['AMBIT_BENCH_EVENTS'] ?? eventsDefault);
  const server = await startPostgres();
  try {
    const postgres = settingsOf(new URL(`postgres://${server.user}@${server.host}:${server.port}/postgres`));
    const nodeKey = generateKeyPairSync('ed25519')
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
    const each = Math.floor(events / nodes / 2) * 2;
    const files: string[] = [];
    let shippingMs = 0;
    for (let node = 1; node <= nodes; node += 1) {
      const file = join(folder, `n${node}`, 'audit.db');
      files.push(file);
      await mkdir(join(folder, `n${node}`));
      await (await openAuditLog({ file })).close();
      fill(file, each, (node * each) / 2);
      const lease = await heldLease(postgres, node);
      const startedAt = performance.now();
      const log = await openAuditLog({
        file,
        postgres,
        node: { node, name: `n${node}` },
        ships: { answersWaitMs: 0, nodeKey, lease },
      });
      while (log.progress().shipping?.through !== each) await delay(20);
      shippingMs += performance.now() - startedAt;
      await log.close();
    }
    console.log(`Querying the logs of ${nodes} nodes with ${each * nodes} events\n`);
    console.log(`sent at ${Math.round((each * nodes) / (shippingMs / 1000))} events/s, one node at a time`);
    const log = await readAuditLog({
      file: files[0] ?? '',
      postgres,
      node: { node: 1, name: 'n1' },
      waitMs: 3_600_000,
    });
    try {
      const startedAt = performance.now();
      await log.count({});
      const seconds = (performance.now() - startedAt) / 1000;
      console.log(
        `index built at ${Math.round((each * nodes) / seconds)} events/s (${seconds.toFixed(0)} s)\n\n${head()}`,
      );
      for (const [name, ask] of questions(log)) console.log(await timed(name, ask, rounds));
    } finally {
      await log.close();
    }
  } finally {
    await server.stop();
  }
}
