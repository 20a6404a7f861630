import { join } from 'node:path';
import { startCluster } from '../support/cluster.ts';
import type { Daemon } from '../support/daemon-process.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import { until } from '../support/until.ts';

/** A cluster with nodes in several states, below `folder`. Resolves to the node whose console is shown. */
export async function sampleCluster(folder: string): Promise<{ node: Daemon; stop(): Promise<void> }> {
  const skills = join(folder, 'skills');
  await writeSkills(skills, { report: pythonSkill('time.sleep(600)') });
  const server = await startPostgres();
  const nodes: Daemon[] = [];
  const stop = async (): Promise<void> => {
    for (const node of nodes) await node.stop('SIGKILL');
    await server.stop();
  };
  try {
    const cluster = await startCluster(
      folder,
      `postgres://${server.user}@${server.host}:${server.port}/postgres`,
      ['berlin', 'oslo', 'porto', 'turin'],
      { skills: [{ path: skills, tier: 'local' }] },
      { leaseSeconds: 15 },
    );
    nodes.push(...cluster.nodes);
    const [berlin, oslo, porto, turin] = cluster.nodes as [Daemon, Daemon, Daemon, Daemon];
    for (const [node, calls] of [
      [berlin, 12],
      [oslo, 31],
      [porto, 7],
      [turin, 4],
    ] as const)
      for (let call = 0; call < calls; call += 1)
        await node.execute('text-redact', { input: { text: 'mail ada@example.org' } });
    for (const node of [berlin, oslo, oslo])
      await node.request('POST', '/skills/report/execute', {
        body: { input: 1 },
        headers: { prefer: 'respond-async' },
      });
    await cluster.command('berlin', 'cluster', 'drain', 'porto');
    await turin.stop();
    await until(async () => {
      const { body } = await berlin.request('GET', '/cluster/nodes');
      const states = body.nodes.map(({ status }: { status: string }) => status).join();
      return states === 'running,running,draining,stopped';
    });
    return { node: berlin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
