// Threat model: T342

import { chmod } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  inDatabase,
  postgresDatabase,
  socketVariable,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { endOfLease, startCluster } from '../../support/cluster.ts';
import { runsIn, violationsIn } from '../../support/cluster-load/check-history.ts';
import { acknowledgedCalls, newHistory } from '../../support/cluster-load/history.ts';
import {
  type Endpoint,
  type KeyedCall,
  sendOnce,
  sendUntilAnswered,
} from '../../support/cluster-load/keyed-calls.ts';
import { roundRobinProxy } from '../../support/cluster-load/round-robin-proxy.ts';
import { tracedSkills } from '../../support/cluster-load/traced-skills.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { patienceMs } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { isWhole } from '../../support/whole.ts';

const [clients, callsEach] = [6, isWhole ? 40 : 12];

test.runIf(process.env[socketVariable] !== undefined)(
  'three nodes under load, one of which is killed and returns, run no call twice, and lose neither an acknowledged one nor its record',
  async () => {
    const { target } = await postgresDatabase();
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    const skills = await tracedSkills(folder);
    const cluster = await startCluster(folder, target.shown, ['a', 'b', 'c'], skills.config, {
      audit: 'shipped',
    });
    const nodes = new Map<string, Daemon>(cluster.nodes.map((node, index) => ['abc'.charAt(index), node]));
    const proxy = await roundRobinProxy();
    onTestFinished(async () => {
      await proxy.close();
      for (const node of nodes.values()) await node.stop('SIGKILL');
    });
    const made = await cluster.command('a', 'key', 'create', 'load', '--scope', 'skills:execute');
    const key = made.stdout.trim();
    for (const [name, { url }] of nodes) proxy.use(name, url);
    await expect.poll(() => proxy.serving()).toEqual(['a', 'b', 'c']);
    const history = newHistory();
    const signal = AbortSignal.timeout(patienceMs);
    const front: Endpoint = { name: 'proxy', url: proxy.url, key };
    const at = (name: string): Endpoint => ({ name, url: nodes.get(name)?.url ?? '', key });
    const answered = (call: KeyedCall, next = () => front): Promise<void> =>
      sendUntilAnswered(history, next, call, signal);
    const traced = (name: string): KeyedCall => ({ key: name, skill: 'traced', input: { key: name } });
    const acknowledged = () => acknowledgedCalls(history);
    // A node reads new API keys each second. Until then it refuses them.
    const unrecorded = newHistory();
    for (const name of nodes.keys())
      await until(async () => (await sendOnce(unrecorded, at(name), traced('first')))?.status === 200);

    // One call certainly runs at the node when it is killed. Its client continues through the proxy.
    let killing: Promise<unknown> | undefined;
    const held = answered({ key: 'held', skill: 'held', input: { key: 'held' } }, () =>
      killing === undefined ? at('b') : front,
    );
    await expect.poll(async () => (await runsIn(skills.runs)).has('held')).toBe(true);
    const kill = async (): Promise<void> => {
      await nodes.get('b')?.stop('SIGKILL');
      await inDatabase({ target }, endOfLease('b'));
    };
    const client = async (index: number): Promise<void> => {
      for (let count = 0; count < callsEach; count += 1) {
        const call = traced(`k${index}-${count}`);
        // The proxy gives requests that are sent together to different nodes.
        await Promise.all(Array.from({ length: 1 + (count % 2) }, () => answered(call)));
        if (acknowledged().size > (clients * callsEach) / 3) killing ??= kill();
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
    await killing;
    await held;
    await skills.release();

    const calls = acknowledged();
    // A few calls of each client may have been at the node when it was killed.
    expect(calls.size).toBeGreaterThan(clients * (callsEach - 4));
    const heldAttempts = history.attempts.filter((each) => each.key === 'held');
    expect(heldAttempts.at(-1)).toMatchObject({ via: 'proxy', response: { status: 409 } });
    const replayAt = async (name: string): Promise<void> => {
      const replayed: (string | undefined)[] = [];
      for (const each of calls.keys()) {
        // On a busy machine, a node can lose its lease for a moment. It then refuses the request.
        await answered(traced(each), () => at(name));
        replayed.push(history.attempts.at(-1)?.response?.text);
      }
      expect(replayed).toEqual([...calls.values()].map(({ text }) => text));
    };
    await replayAt('a');
    await replayAt('c');

    const recorded = await Promise.all(['a', 'c'].map((name) => outcomesAt(nodes.get(name) as Daemon)));
    for (const outcomes of recorded)
      expect(new Set([...calls.values()].map(({ executionId }) => outcomes.get(executionId)))).toEqual(
        new Set(['succeeded']),
      );
    const intact = /^The logs of all nodes are intact\.\n/;
    const lost = await cluster.command('a', 'cluster', 'verify');
    expect(lost.stdout).toMatch(intact);
    expect(lost.stdout).toMatch(
      /^Node b was lost\. The database has its events up to \d+; the tree covers them up to \d+\. /m,
    );

    const returned = await cluster.start('b');
    nodes.set('b', returned);
    proxy.use('b', returned.url);
    await expect.poll(() => proxy.serving()).toEqual(['a', 'b', 'c']);
    await replayAt('b');
    await answered(traced('after'));
    expect(acknowledged().has('after')).toBe(true);
    expect(violationsIn(history, await runsIn(skills.runs))).toEqual([]);
    const whole = await cluster.command('a', 'cluster', 'verify');
    expect(whole.stdout).toMatch(intact);
    expect(whole.stdout).not.toContain('lost');
  },
);

test('the checker of histories finds calls that ran twice, answers that were lost, and answers that differ', () => {
  const history = newHistory();
  const answer = (key: string, status: number, body: object): void =>
    history.add({
      key,
      via: 'a',
      sentAt: 0,
      response: { status, text: JSON.stringify(body), isUnstored: false },
    });
  const succeeded = (executionId: string) => ({ executionId, outcome: { status: 'succeeded' } });
  for (const key of ['right', 'twice', 'traceless', 'forgotten', 'other']) answer(key, 200, succeeded(key));
  answer('right', 200, succeeded('right'));
  answer('forgotten', 409, { code: 'IDEMPOTENCY_INTERRUPTED' });
  answer('other', 200, succeeded('another'));
  answer('refused', 503, { code: 'LEASE_LOST' });
  answer('failed', 500, { code: 'INTERNAL' });
  const runs = new Map(['right', 'forgotten', 'other'].map((key) => [key, [key]]));
  const found = violationsIn(history, runs.set('twice', ['twice', 'again']));
  expect(found.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'doubled twice',
    'lost forgotten',
    'doubled other',
    'unexpected failed',
    'lost traceless',
  ]);
});

/** The outcomes of all calls of the cluster, as a query at one node returns them. */
async function outcomesAt({ url, key }: Daemon): Promise<Map<string, string>> {
  const answer = await fetch(`${url}/audit/export`, { headers: { authorization: `Bearer ${key}` } });
  const lines = (await answer.text()).trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { executionId: string; outcome: string });
  return new Map(records.map(({ executionId, outcome }) => [executionId, outcome]));
}
