// Threat model: T342, T343, T344, T347, T354, T355, T356, T357, T358, T360

import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asNode } from '../../../packages/server/src/cluster/testing/as-node.ts';
import {
  postgresDatabase,
  socketVariable,
} from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { sharedBrowser } from '../../support/browser.ts';
import { leaseSeconds, startCluster } from '../../support/cluster.ts';
import { axeFindings, hasChromium, signedIn } from '../../support/console-browser.ts';
import { signIn } from '../../support/console-session.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon, version } from '../../support/daemon-process.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { httpClient } from '../support/mcp-client.ts';
import { metricsOf } from '../support/metrics.ts';
import { sharedTwoNodes, type TwoNodes } from '../support/two-nodes.ts';
import { waiterWorld } from '../support/waiter.ts';

const hasPostgres = process.env[socketVariable] !== undefined;

/** A request that runs the skill `waiter` until a file exists. */
function ask(node: Daemon, path: string, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return node.request('POST', '/skills/waiter/execute', { body: { input: path }, headers });
}

/** The status of the answer, which has no body. */
async function removeWorkspace({ url, key }: Daemon, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${url}/workspaces/${id}`, { method: 'DELETE', headers })).status;
}

/** The execution id of the call that a node runs. */
function running(node: Daemon, skill = 'waiter'): Promise<string> {
  return until(
    async () => (await node.audit(`?skill=${skill}&outcome=running`))[0]?.executionId as string | undefined,
  );
}

/** The metrics of a node that are about the cluster, without buckets. */
async function clusterMetrics(node: Daemon): Promise<Record<string, number>> {
  const samples = Object.entries(await metricsOf(node));
  return Object.fromEntries(samples.filter(([name]) => /^ambit_cluster_(?!.*_bucket)/.test(name)));
}

/** As the database has them now, which a node knows only after its next renewal. */
async function listed({ cluster }: TwoNodes): Promise<Record<string, { status: string; epoch: number }>> {
  const { stdout } = await cluster.command('a', 'cluster', 'nodes', '--json');
  const { nodes } = JSON.parse(stdout) as { nodes: { name: string; status: string; epoch: number }[] };
  return Object.fromEntries(nodes.map(({ name, status, epoch }) => [name, { status, epoch }]));
}

describe.runIf(hasPostgres)('a cluster', () => {
  const world = sharedTwoNodes();
  const browser = sharedBrowser();

  test('runs a call with an idempotency key once, and every node joins it, replays it and shows it', async () => {
    const { a, b, waiter } = world();
    expect(await listed(world())).toEqual({
      a: { status: 'running', epoch: 1 },
      b: { status: 'running', epoch: 1 },
    });
    const file = waiter.file();
    const first = ask(a, file.path, 'one');
    const id = await running(a);
    const joined = ask(b, file.path, 'one');
    expect((await b.request('GET', `/executions/${id}`)).body).toMatchObject({
      executionId: id,
      skillId: 'waiter',
      status: 'running',
    });
    await file.make();
    const { body: answer } = await first;
    expect(answer).toMatchObject({ executionId: id, outcome: { status: 'succeeded', output: 'released' } });
    expect((await joined).body).toEqual(answer);
    expect((await ask(b, file.path, 'one')).body).toEqual(answer);
    expect((await b.request('GET', `/executions/${id}`)).body).toMatchObject({ outcome: 'succeeded' });
    expect((await b.request('GET', `/audit/${id}/receipt`)).body).toMatchObject({
      statement: { executionId: id, outcome: 'succeeded' },
    });
    expect(await Promise.all([a, b].map(async (node) => (await node.audit('?skill=waiter')).length))).toEqual(
      [1, 1],
    );
    const other = await ask(b, waiter.file().path, 'one');
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('shows in the metrics of a node what it sees of the cluster', async () => {
    const { a, b, waiter } = world();
    const file = waiter.file();
    const first = ask(a, file.path, 'measured');
    await running(a);
    const before = await clusterMetrics(b);
    const joined = ask(b, file.path, 'measured');
    const elsewhere = 'ambit_cluster_claims_elsewhere_total';
    await until(async () => (await clusterMetrics(b))[elsewhere] === (before[elsewhere] ?? 0) + 1);
    await file.make();
    await Promise.all([first, joined]);
    const renewed = 'ambit_cluster_renewal_seconds_count{outcome="done"}';
    await until(async () => ((await clusterMetrics(b))[renewed] ?? 0) > 0);
    const passed = 'ambit_cluster_passed_request_seconds_count{outcome="answered"}';
    const { ambit_cluster_lease_seconds: leaseLeft = 0, ...after } = await clusterMetrics(b);
    expect(after[passed]).toBe((before[passed] ?? 0) + 1);
    expect([leaseLeft > 0, leaseLeft <= leaseSeconds]).toEqual([true, true]);
    expect(after).toMatchObject({
      'ambit_cluster_nodes{status="running"}': 2,
      'ambit_cluster_nodes{status="draining"}': 0,
      ambit_cluster_epoch: 1,
      [renewed]: expect.any(Number),
      'ambit_cluster_renewal_seconds_count{outcome="failed"}': 0,
    });
  });

  test('lists its nodes with their load at any node, and the calls at each', async () => {
    const { a, b, waiter } = world();
    const file = waiter.file();
    const waiting = ask(b, file.path);
    // The last record of another test's call at node a may not have arrived yet.
    const id = await until(
      async () => (await b.audit('?node=b&skill=waiter&outcome=running'))[0]?.executionId,
    );
    const list = async (node: Daemon) => (await node.request('GET', '/cluster/nodes')).body;
    const load = {
      running: 1,
      waiting: 0,
      unshippedEvents: expect.any(Number),
      shippingLagMs: expect.any(Number),
    };
    // A node that asked another before that one listened reports that until its next renewal.
    const shown = await until(async () => {
      const found = await list(a);
      return found.nodes.every((node: { cannotReach: unknown[] }) => node.cannotReach.length === 0) && found;
    });
    expect(shown).toEqual({
      node: 'a',
      nodes: ['a', 'b'].map((name, index) => ({
        id: index + 1,
        name,
        status: 'running',
        epoch: 1,
        version,
        advertise: expect.stringMatching(/^127\.0\.0\.1:/),
        joinedAt: expect.any(String),
        cannotReach: [],
        leaseUntil: expect.any(String),
        load: { ...load, running: name === 'b' ? 1 : 0 },
      })),
    });
    expect((await list(b)).nodes.map((node: { load: object }) => node.load)).toMatchObject([
      ...[{ running: 0 }, { running: 1 }],
    ]);
    const at = async (name: string) =>
      (await a.audit(`?node=${name}&outcome=running`)).map(({ executionId }) => executionId);
    expect([await at('a'), await at('b'), await at('c')]).toEqual([[], [id], []]);
    const { stdout } = await world().cluster.command('a', 'audit', '--node', 'b', '--limit', '1', '--json');
    expect(JSON.parse(stdout).records).toMatchObject([{ executionId: id, node: 'b' }]);
    await file.make();
    await waiting;
  });

  test('has sessions of the console at one node each, which every node lists and ends', async () => {
    const { a, b, cluster } = world();
    const session = await signIn(a);
    const own = (await session.request('GET', '/console/session')).body;
    expect(own).toMatchObject({ id: session.id, node: 'a' });
    // A load balancer sends the browser's requests to any node.
    const elsewhere = await session.request('GET', '/skills', { at: b });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([421, 'SESSION_ELSEWHERE']);
    expect((await session.request('GET', '/skills')).status).toBe(200);
    const { executionId } = (await b.execute('waiter', { input: '/nowhere', limits: { timeoutMs: 1 } })).body;
    expect((await session.request('GET', `/executions/${executionId}`)).body).toMatchObject({
      skillId: 'waiter',
    });
    const sessions = async (): Promise<unknown> => {
      const { stdout } = await cluster.command('b', 'console', 'sessions', '--json');
      return JSON.parse(stdout).sessions;
    };
    expect(await sessions()).toMatchObject([{ id: session.id, node: 'a' }]);
    expect((await cluster.command('b', 'console', 'revoke', session.id)).code).toBe(0);
    expect(await sessions()).toEqual([]);
    expect((await session.request('GET', '/skills')).body.code).toBe('UNAUTHENTICATED');
  });

  test.skipIf(!hasChromium)('shows its nodes and the node of each call in the console', async () => {
    const { a, b, waiter } = world();
    const file = waiter.file();
    await file.make();
    await ask(b, file.path);
    const opened = await signedIn(browser(), a, '/console/nodes');
    const { page } = opened;
    await page.getByText('a (this one)').waitFor();
    await page.getByText('running, 0 waiting').nth(1).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'b', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.locator('tbody').getByText('waiter').first().waitFor();
    expect(await page.getByLabel('Node').inputValue()).toBe('b');
    expect(new Set(await page.locator('td[data-label=Node]').allTextContents())).toEqual(new Set(['b']));
    expect([opened.problems, opened.elsewhere]).toEqual([[], []]);
    await opened.context.close();
  });

  test('cancels a call, and follows its events, at any node', async () => {
    const { a, b, waiter } = world();
    const headers = { prefer: 'respond-async' };
    const body = { input: waiter.file().path };
    const { executionId: id } = (await a.request('POST', '/skills/waiter/execute', { body, headers })).body;
    const followed = fetch(`${b.url}/executions/${id}/events`, {
      headers: { authorization: `Bearer ${b.key}` },
    });
    const { body: canceled } = await b.request('DELETE', `/executions/${id}`);
    expect(canceled).toMatchObject({ executionId: id, status: 'finished', outcome: 'canceled' });
    const events = await (await followed).text();
    expect(events.match(/^event: .*$/gm)?.at(-1)).toBe('event: result');
  });

  test('shows a change of a workspace at every node, and lets one node at a time use it', async () => {
    const { a, b, waiter } = world();
    const octets = { 'content-type': 'application/octet-stream' };
    const { id } = (await a.request('POST', '/workspaces')).body;
    const put = (node: Daemon, path: string, raw: string) =>
      node.request('PUT', `/workspaces/${id}/files/${path}`, { raw, headers: octets });
    const paths = async (node: Daemon): Promise<string[]> =>
      (await node.request('GET', `/workspaces/${id}`)).body.files.map(({ path }: { path: string }) => path);
    expect((await put(b, 'one', '1')).status).toBe(201);
    expect([await paths(a), await paths(b)]).toEqual([['one'], ['one']]);
    const file = waiter.file();
    const body = { input: file.path, workspace: id };
    const first = a.request('POST', '/skills/writer/execute', { body });
    await running(a, 'writer');
    let isPut = false;
    const second = put(b, 'two', '2').then((answer) => {
      isPut = true;
      return answer;
    });
    expect(await paths(b)).toEqual(['one']);
    expect(isPut).toBe(false);
    await file.make();
    expect((await first).body).toMatchObject({ outcome: { status: 'succeeded' } });
    expect((await second).status).toBe(201);
    expect(await paths(a)).toEqual(['made', 'one', 'two']);
    await Promise.all([a, b, a, b].map((node, at) => put(node, `at-${at}`, 'x')));
    expect(await paths(a)).toHaveLength(7);
    const listed = await a.request('GET', '/workspaces');
    expect(listed.body.workspaces.map((each: { id: string }) => each.id)).toEqual([id]);
    expect(await removeWorkspace(b, id)).toBe(204);
    expect((await a.request('GET', `/workspaces/${id}`)).status).toBe(404);
    expect((await put(a, 'three', '3')).status).toBe(404);
  });

  test.each(['modern', 'legacy'] as const)(
    'answers a client of MCP (%s) whose requests arrive at either node',
    async (era) => {
      const { a, b, waiter, cluster } = world();
      const scopes = ['--scope', 'skills:read', '--scope', 'skills:execute'];
      const made = await cluster.command('a', 'key', 'create', era, ...scopes, '--json');
      const { key } = JSON.parse(made.stdout) as { key: string };
      const headers = { authorization: `Bearer ${key}` };
      for (const node of [a, b])
        await until(async () => (await node.request('GET', '/workspaces', { headers })).status === 200);
      let turn = 0;
      const client = await httpClient({ url: a.url, key }, era, {
        fetch(url, init) {
          const { pathname } = new URL(url instanceof Request ? url.url : url);
          turn += 1;
          return fetch(new URL(pathname, turn % 2 === 0 ? b.url : a.url), init);
        },
      });
      const file = waiter.file();
      await file.make();
      for (let call = 0; call < 4; call += 1)
        expect(await client.callTool({ name: 'waiter', arguments: { input: file.path } })).toMatchObject({
          content: [{ type: 'text', text: '"released"' }],
        });
      expect(turn).toBeGreaterThan(4);
      // Each node shows the records of both.
      const records = await until(async () => {
        const found = await a.audit(`?actor=${era}&skill=waiter`);
        return found.length === 4 && found;
      });
      const byNode = ['a', 'b'].map((name) => records.filter(({ node }) => node === name).length);
      expect(byNode).toEqual(era === 'legacy' ? [4, 0] : [2, 2]);
    },
  );

  test('shows that a node cannot reach another one, and answers for its ended calls from the database', async () => {
    const { a, b, waiter, cluster, inDatabase } = world();
    const done = waiter.file();
    await done.make();
    const { executionId: ended } = (await ask(b, done.path)).body;
    const headers = { prefer: 'respond-async' };
    const file = waiter.file();
    const body = { input: file.path };
    const { executionId: runs } = (await b.request('POST', '/skills/waiter/execute', { body, headers })).body;
    const peers = async (wanted: string) =>
      until(async () => {
        const answer = await a.request('GET', '/readyz');
        return answer.body.checks.peers === wanted && answer;
      });
    await peers('ok');
    const [{ advertise } = {}] = await inDatabase(`SELECT advertise FROM ambit.nodes WHERE name = 'b'`);
    const restore = () =>
      inDatabase(`UPDATE ambit.nodes SET advertise = '${String(advertise)}' WHERE name = 'b'`).then(
        () => undefined,
      );
    onTestFinished(restore);
    // As if its port was blocked: nothing listens there.
    await inDatabase(`UPDATE ambit.nodes SET advertise = '127.0.0.1:1' WHERE name = 'b'`);
    // Calls continue to be accepted.
    expect((await peers('low')).status).toBe(200);
    const seen = await until(async () => {
      const { nodes } = JSON.parse((await cluster.command('b', 'cluster', 'nodes', '--json')).stdout);
      return nodes[0].cannotReach.length > 0 && nodes;
    });
    expect(seen).toMatchObject([
      { name: 'a', cannotReach: ['b'] },
      { name: 'b', cannotReach: [] },
    ]);
    const doctor = JSON.parse((await cluster.command('a', 'doctor', '--json')).stdout);
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({
        name: 'daemon',
        status: 'limited',
        found: expect.stringMatching(/; peers: low$/),
      }),
    );
    expect((await a.request('GET', `/executions/${ended}`)).body).toMatchObject({
      executionId: ended,
      status: 'finished',
      outcome: 'succeeded',
    });
    const unreachable = await a.request('GET', `/executions/${runs}`);
    expect([unreachable.status, unreachable.body.code]).toEqual([503, 'NODE_UNREACHABLE']);
    await restore();
    await peers('ok');
    expect((await a.request('GET', `/executions/${runs}`)).body).toMatchObject({ status: 'running' });
    await file.make();
  });

  test('lets a drained node take no calls, until that is undone', async () => {
    const { b, waiter, cluster } = world();
    const file = waiter.file();
    await file.make();
    expect((await cluster.command('a', 'cluster', 'drain', 'b')).stdout).toBe(
      'Draining the node b: it refuses calls after its next renewal.\n',
    );
    const ready = await until(async () => {
      const answer = await b.request('GET', '/readyz');
      return answer.status === 503 && answer;
    });
    expect(ready.body).toMatchObject({ code: 'LEASE_LOST', checks: { lease: 'LEASE_LOST' } });
    const refused = await ask(b, file.path);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      503,
      'LEASE_LOST',
      'the node b takes no calls: it is being drained. Send the call to another node, or again later',
    ]);
    expect((await b.audit('?skill=waiter&limit=1'))[0]).toMatchObject({
      outcome: 'denied',
      error: { code: 'LEASE_LOST' },
    });
    expect((await listed(world()))['b']).toMatchObject({ status: 'draining' });
    await cluster.command('a', 'cluster', 'drain', 'b', '--undo');
    await until(async () => (await ask(b, file.path)).status === 200);
  });

  test('ends the claims of a killed node when its lease ends, and the node returns under a new epoch', async () => {
    const { a, b, waiter, cluster, inDatabase, endLease } = world();
    const file = waiter.file();
    const { id: workspace } = (await b.request('POST', '/workspaces')).body;
    const body = { input: file.path, workspace };
    const again = (node: Daemon) =>
      node.request('POST', '/skills/writer/execute', { body, headers: { 'idempotency-key': 'killed' } });
    void again(b).catch(() => undefined);
    const id = await running(b, 'writer');
    await b.stop('SIGKILL');
    // A start that waits for the end of its last lease can be stopped.
    await inDatabase(`UPDATE ambit.nodes SET lease_until = lease_until + 600000 WHERE name = 'b'`);
    const stopping = new AbortController();
    const waiting = ambit(['--config', join(cluster.folder('b'), 'ambit.config.yaml'), 'serve'], {
      signal: stopping.signal,
      killWith: 'SIGTERM',
    });
    await until(async () => {
      const record = JSON.parse(await readFile(join(b.dataDir, 'cluster/node.json'), 'utf8'));
      return record.nextInstance !== null;
    });
    stopping.abort();
    expect(await waiting).toMatchObject({ code: 0, stdout: '' });
    const early = await again(a);
    expect([early.status, early.body.code]).toEqual([503, 'NODE_UNREACHABLE']);
    await endLease('b');
    const late = await until(async () => {
      const answer = await again(a);
      return answer.status !== 503 && answer;
    });
    expect([late.status, late.body.code, late.body.originalExecutionId]).toEqual([
      ...[409, 'IDEMPOTENCY_INTERRUPTED', id],
    ]);
    expect((await listed(world()))['b']).toEqual({ status: 'stopped', epoch: 2 });
    // The log of the cluster says since when its calls are interrupted, and every node shows that.
    const shown = async () => ({
      status: (await a.request('GET', `/executions/${id}`)).body,
      records: await a.audit('?skill=writer&node=b&outcome=interrupted'),
      running: await a.audit('?node=b&outcome=running'),
    });
    const interrupted = {
      status: { executionId: id, status: 'finished', outcome: 'interrupted', endedAt: expect.any(String) },
      records: [{ executionId: id, outcome: 'interrupted', endedAt: expect.any(String) }],
      running: [],
    };
    expect(await shown()).toMatchObject(interrupted);
    expect((await a.request('GET', '/audit/stats?skill=writer')).body.all).toMatchObject({
      errors: 1,
      running: 0,
    });
    const [lost] = await inDatabase('SELECT statement FROM ambit.cluster_log ORDER BY sequence DESC LIMIT 1');
    const [sent] = await inDatabase('SELECT through::INT AS through FROM ambit.audit_logs WHERE node = 2');
    expect(JSON.parse(String(lost?.['statement']))).toMatchObject({ kind: 'node.lost', node: 2, ...sent });
    expect(await removeWorkspace(a, workspace)).toBe(204);
    world().b = await cluster.start('b');
    const returned = await again(world().b);
    expect([returned.status, returned.body.code]).toEqual([409, 'IDEMPOTENCY_INTERRUPTED']);
    await file.make();
    expect((await ask(world().b, file.path, 'new')).body).toMatchObject({ outcome: { output: 'released' } });
    expect((await listed(world()))['b']).toEqual({ status: 'running', epoch: 3 });
    // The node has ended the call in its own log, once.
    expect(await shown()).toMatchObject(interrupted);
    const verified = JSON.parse((await cluster.command('a', 'cluster', 'verify', '--json')).stdout);
    expect(verified).toMatchObject({ intact: true, findings: [] });
  });

  test('never takes the answer of a node that was stopped for longer than its lease', async () => {
    const { a, b, waiter, endLease } = world();
    const file = waiter.file();
    const frozen = ask(b, file.path, 'frozen');
    await running(b);
    b.signal('SIGSTOP');
    await endLease('b');
    const interrupted = await until(async () => {
      const answer = await ask(a, file.path, 'frozen');
      return answer.body.code !== 'NODE_UNREACHABLE' && answer;
    });
    expect(interrupted.body.code).toBe('IDEMPOTENCY_INTERRUPTED');
    await file.make();
    b.signal('SIGCONT');
    const answer = await frozen;
    expect((await ask(a, file.path, 'frozen')).body.code).toBe('IDEMPOTENCY_INTERRUPTED');
    // It refuses calls until it has its lease again.
    const atItself = await until(async () => {
      const again = await ask(b, file.path, 'frozen');
      return again.body.code !== 'LEASE_LOST' && again;
    });
    expect(atItself.body.code).toBe('IDEMPOTENCY_INTERRUPTED');
    // Its own client may still be waiting. What it gets is not stored.
    expect(answer.status).toBe(200);
    // It notices that with its next renewal.
    await until(async () => (await listed(world()))['b']?.status === 'running');
    await until(async () => (await ask(b, file.path)).status === 200);
  });

  test('refuses a copied data directory while its node runs and after it has stopped, and the node continues its log', async () => {
    const { a, b, cluster, waiter, inDatabase } = world();
    const file = waiter.file();
    await file.make();
    const folder = await temporaryFolder();
    const copyAs = async (name: string): Promise<string> => {
      await cp(b.dataDir, join(folder, name), { recursive: true });
      return join(folder, name);
    };
    const events = () =>
      inDatabase(`SELECT sequence, body FROM ambit.audit_events WHERE node = 2 AND execution_id IS NULL
        ORDER BY sequence`);
    // Another node shows the record of a call that has just ended at this one.
    const requireRecorded = async (node: Daemon): Promise<void> => {
      // On a busy machine, a node that has just started can lose its lease for a moment.
      const { executionId } = await until(async () => {
        const { status, body } = await ask(node, file.path);
        return status === 200 && body;
      });
      await until(async () => (await a.audit('?node=b&limit=1'))[0]?.executionId === executionId);
      expect((await node.audit('?node=b&limit=1'))[0]).toMatchObject({ executionId, outcome: 'succeeded' });
      expect((await node.request('GET', '/readyz')).body).toMatchObject({ checks: { shipping: 'ok' } });
    };
    const copy = await copyAs('copy');
    await requireRecorded(b);
    const before = await events();
    await expect(cluster.start('b', { dataDir: copy })).rejects.toThrow(
      /NODE_DUPLICATED: the audit log of this data directory does not continue the one of the node b \(at .*\): .* ends at \d+\. So it is a copy of the node's data directory, or an older state of it\. Start /,
    );
    // Its log is the same as the one of its original, which still runs.
    await expect(cluster.start('b', { dataDir: await copyAs('current') })).rejects.toThrow(
      /NODE_DUPLICATED: (another daemon runs as the node b .* so this data directory is a copy of the running one|the audit log of)/,
    );
    expect(await events()).toEqual(before);
    await requireRecorded(b);
    await b.stop();
    await expect(cluster.start('b', { dataDir: copy })).rejects.toThrow(
      'NODE_DUPLICATED: the audit log of this data directory does not continue the one of the node b',
    );
    // A restart on its own folder works.
    world().b = await cluster.start('b');
    await requireRecorded(world().b);

    // Of two equal states, the first to start is the node.
    await world().b.stop();
    const other = await copyAs('moved');
    const moved = await cluster.start('b', { dataDir: other });
    await moved.stop();
    await expect(cluster.start('b')).rejects.toThrow(
      /NODE_DUPLICATED: another daemon has been started as the node b .*with a copy of this data directory/,
    );
    const { entries } = JSON.parse((await cluster.command('a', 'cluster', 'log', '--json')).stdout);
    const told = entries.map(({ kind, node, by }: Record<string, string>) => `${kind} ${node} by ${by}`);
    expect(told.slice(0, 2)).toEqual(['node.joined a by a', 'node.joined b by a']);
    expect(told.slice(-4)).toEqual(Array.from({ length: 4 }, () => 'node.duplicated b by b'));
    await rm(b.dataDir, { recursive: true });
    await cp(other, b.dataDir, { recursive: true });
    world().b = await cluster.start('b');
    await requireRecorded(world().b);
    expect((await listed(world()))['b']).toMatchObject({ status: 'running' });
    // What a copy had changed would still be found.
    const { code, stdout } = await cluster.command('a', 'cluster', 'verify', '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, intact: true, findings: [] });
  });

  test('reports in readiness and doctor that the log of a node cannot be sent, until it can', async () => {
    const { b, cluster, inDatabase, waiter } = world();
    const file = waiter.file();
    await file.make();
    const ready = async (status: number): Promise<{ body: object }> =>
      until(async () => {
        const answer = await b.request('GET', '/readyz');
        return answer.status === status && answer;
      });
    await ready(200);
    await inDatabase(`UPDATE ambit.audit_logs SET log_id = 'x' || log_id WHERE node = 2`);
    await ask(b, file.path);
    expect((await ready(503)).body).toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      checks: { audit: 'ok', lease: 'ok', shipping: 'AUDIT_UNAVAILABLE' },
    });
    const { stdout } = await cluster.command('b', 'doctor', '--json');
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({
        name: 'daemon',
        found: expect.stringMatching(/ refuses calls: AUDIT_UNAVAILABLE, shipping: AUDIT_UNAVAILABLE$/),
      }),
    );
    await inDatabase(`UPDATE ambit.audit_logs SET log_id = substr(log_id, 2) WHERE node = 2`);
    await ready(200);
  });

  test('is created by "cluster init" also if that was cut off, and only by the node that has begun', async () => {
    const folder = await temporaryFolder();
    const { target } = await postgresDatabase();
    const file = join(folder, 'ambit.config.yaml');
    await writeFile(
      file,
      JSON.stringify({
        store: { postgres: { url: target.shown } },
        cluster: { advertise: '127.0.0.1:1' },
        dataDir: folder,
      }),
    );
    const init = (name: string) => ambit(['--config', file, 'cluster', 'init', '--name', name]);
    const { stdout: made } = await init('first');
    expect(made).toMatch(/^Created the cluster [-0-9a-f]+ with the node first\.\n$/);
    for (const name of ['node.json', 'node.crt']) await rm(join(folder, 'cluster', name));
    expect((await init('other')).stdout).toBe(made);
    expect((await ambit(['--config', file, 'cluster', 'nodes', '--json'])).stdout).toContain('"first"');
    for (const name of ['node.json', 'node.key']) await rm(join(folder, 'cluster', name));
    expect((await init('first')).stderr).toMatch(
      /^ambit: CLUSTER_INVALID: the database has a cluster already/,
    );
  });

  test('refuses invitations that are used, unknown or no invitations', async () => {
    const { cluster, url } = world();
    const invited = (await cluster.command('a', 'cluster', 'invite', 'c')).stdout.trim();
    const folder = await temporaryFolder();
    const file = join(folder, 'ambit.config.yaml');
    const joinAs = async (dataDir: string, invitation: string): Promise<string> => {
      const config = {
        store: { postgres: { url } },
        cluster: { advertise: '127.0.0.1:1' },
        dataDir: join(folder, dataDir),
      };
      await writeFile(file, JSON.stringify(config));
      const { code, stdout, stderr } = await ambit(['--config', file, 'cluster', 'join'], {
        stdin: invitation,
      });
      return code === 0 ? stdout : stderr;
    };
    expect(await joinAs('one', invited)).toMatch(/^Joined the cluster [-0-9a-f]+ as node c\.\n/);
    expect(await joinAs('two', invited)).toMatch(
      /^ambit: INVITATION_INVALID: the invitation is unknown, used or expired; create another with "ambit cluster invite"/,
    );
    expect(await joinAs('two', 'ambit-join-none')).toMatch(
      /^ambit: INVITATION_INVALID: this is not an invitation;/,
    );
    expect(await joinAs('one', invited)).toMatch(/ is the node c of a cluster already; /);
    expect((await cluster.command('a', 'cluster', 'invite', 'c')).stderr).toMatch(
      /^ambit: CLUSTER_INVALID: the cluster has or had a node c; choose another name/,
    );
    expect((await cluster.command('a', 'cluster', 'init')).stderr).toMatch(
      / is the node a of a cluster already; /,
    );
  });

  test('ends a retired node for ever, with its calls, its streams and what it began at other nodes', async () => {
    const { a, b, cluster, waiter, inDatabase } = world();
    const file = waiter.file();
    const canceled = ask(b, file.path);
    const own = await running(b);
    const stream = await fetch(`${b.url}/audit/follow`, { headers: { authorization: `Bearer ${b.key}` } });
    // A retired node may have been taken over: only the other nodes can end what it uses there.
    await cluster.command('a', 'key', 'create', 'passed', '--scope', 'admin');
    const [{ advertise } = {}] = await inDatabase(`SELECT advertise FROM ambit.nodes WHERE name = 'a'`);
    const client = asNode(b.dataDir, a.dataDir);
    onTestFinished(() => client.close());
    const pass = (method: string, url: string, body?: object) =>
      client.pass(
        { id: 1, advertise: String(advertise) },
        {
          method,
          url,
          actor: 'passed',
          signal: new AbortController().signal,
          headers: { 'content-type': 'application/json' },
          ...(body && { body: Buffer.from(JSON.stringify(body)) }),
        },
      );
    const followed = await until(async () => {
      const answer = await pass('GET', '/audit/follow');
      return answer.statusCode === 200 ? answer : answer.destroy() && undefined;
    });
    const passed = pass('POST', '/skills/waiter/execute', { input: file.path });
    const passedId = await until(
      async () =>
        (await a.audit('?node=a&actor=passed&outcome=running'))[0]?.executionId as string | undefined,
    );
    // They can end before the command does.
    const ends = Promise.allSettled([text(followed), passed, stream.text()]);
    expect((await cluster.command('a', 'cluster', 'retire', 'b')).stdout).toBe('The node b is retired.\n');
    expect((await canceled).body).toMatchObject({
      outcome: {
        status: 'canceled',
        reason:
          'the node b takes no calls: its lease has ended. Send the call to another node, or again later',
      },
    });
    // The connections of the node to another one, and the streams of its own clients, were cut.
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(
      await until(async () => (await a.audit('?node=a&actor=passed&outcome=canceled'))[0]),
    ).toMatchObject({
      executionId: passedId,
      reason: 'the node b was retired',
    });
    // Its call ended there after its last event was sent.
    expect((await a.request('GET', `/executions/${own}`)).body).toMatchObject({
      executionId: own,
      status: 'finished',
      outcome: 'interrupted',
    });
    expect(await a.audit('?node=b&outcome=running')).toEqual([]);
    const refused = await ask(b, file.path);
    expect([refused.status, refused.body.code]).toEqual([503, 'LEASE_LOST']);
    // The other nodes would use its decision, and have no event of it.
    const decided = await b.request('POST', '/installs/revoke', { body: { subject: 'publisher:acme' } });
    expect([decided.status, decided.body.code]).toEqual([503, 'LEASE_LOST']);
    const again = await fetch(`${b.url}/audit/follow`, { headers: { authorization: `Bearer ${b.key}` } });
    expect([again.status, (await again.text()).includes('LEASE_LOST')]).toEqual([503, true]);
    await file.make();
    expect((await ask(a, file.path)).status).toBe(200);
    const refusal = /^ambit: NODE_RETIRED: this node was retired, so the cluster takes no changes from it;/;
    expect((await cluster.command('b', 'cluster', 'policy', 'publish')).stderr).toMatch(refusal);
    // A retired first node has the key of the authority.
    await cp(join(a.dataDir, 'cluster/authority.key'), join(b.dataDir, 'cluster/authority.key'));
    for (const line of [
      ['key', 'create', 'late', '--scope', 'admin'],
      ['key', 'revoke', 'passed'],
      ['cluster', 'drain', 'a', '--undo'],
      ['cluster', 'invite', 'e'],
    ]) {
      const refused = await cluster.command('b', ...line);
      expect([line, refused.code, refused.stderr]).toEqual([line, 3, expect.stringMatching(refusal)]);
      expect([line, await cluster.command('a', ...line)]).toMatchObject([line, { code: 0 }]);
    }
    expect((await cluster.command('b', 'key', 'list')).stdout).toMatch(/^late /m);
    const doctor = async (name: string) =>
      JSON.parse((await cluster.command(name, 'doctor', '--json')).stdout).checks.find(
        (check: { name: string }) => check.name === 'cluster',
      );
    expect(await doctor('a')).toMatchObject({ status: 'ok', found: 'node a' });
    expect(await doctor('b')).toMatchObject({ status: 'missing', found: 'the node b was retired' });
    expect((await cluster.command('b', 'cluster', 'nodes')).stdout).toMatch(/^b +retired /m);
    expect((await cluster.command('b', 'cluster', 'verify')).stdout).toMatch(/^b +retired +intact /m);
    await b.stop();
    const run = await cluster.command('b', 'run', 'waiter', '--input', JSON.stringify(file.path));
    expect([run.code, run.stderr]).toEqual([
      4,
      expect.stringMatching(
        /^ambit: DAEMON_START_FAILED: .*\nambit: NODE_RETIRED: the node b was retired and cannot return;/,
      ),
    ]);
    await expect(cluster.start('b')).rejects.toThrow(
      'NODE_RETIRED: the node b was retired and cannot return',
    );
    expect((await cluster.command('a', 'cluster', 'retire', 'd')).stderr).toMatch(
      /^ambit: CLUSTER_INVALID: the cluster has no node d, or it is retired/,
    );
  });

  test('excludes a daemon without a cluster from its database, and its data directories from such a daemon', async () => {
    const { a, url } = world();
    const lone = await startDaemon({ store: { postgres: { url, connectTimeoutMs: 1000 } } });
    expect(await clusterMetrics(lone)).toEqual({});
    const headers = { 'idempotency-key': 'lone' };
    // On a busy machine, the daemon may not reach the database in time.
    const refused = await until(async () => {
      const sent = { body: { input: {} }, headers };
      const answer = await lone.request('POST', '/skills/csv-profile/execute', sent);
      return !/timeout|timed out/.test(answer.body.detail) && answer;
    });
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[503, 'STORE_UNAVAILABLE', expect.stringContaining('another Ambit uses it')],
    ]);
    const copy = join(await temporaryFolder(), 'data');
    await cp(a.dataDir, copy, { recursive: true });
    await expect(startDaemon({}, { dataDir: copy })).rejects.toThrow(
      /NODE_UNUSABLE: .* is the node a of a cluster, but the configuration has no cluster/,
    );
  });
});

test.runIf(hasPostgres)(
  'a node takes no calls after half of its lease while its database is away, ends its runs after all of it, and returns',
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const { target } = await postgresDatabase(server);
    const { config, file } = await waiterWorld();
    const shortLeaseSeconds = 8;
    const cluster = await startCluster(await temporaryFolder(), target.shown, ['a'], config, {
      leaseSeconds: shortLeaseSeconds,
    });
    const [node] = cluster.nodes as [Daemon];
    onTestFinished(async () => void (await node.stop('SIGKILL')));
    const done = file();
    await done.make();
    const lasting = { body: { input: file().path }, headers: { prefer: 'respond-async' } };
    const leaseLeft = async () => (await clusterMetrics(node))['ambit_cluster_lease_seconds'];
    // On a busy machine, the node may lose such a short lease before its database is away.
    const begun = await until(async () => {
      const answer = await node.request('POST', '/skills/waiter/execute', lasting);
      return answer.status === 202 && answer;
    });
    const resume = server.pause();
    const refused = await until(async () => {
      const answer = await ask(node, done.path);
      return answer.status !== 200 && answer;
    });
    expect([refused.status, refused.body.code]).toEqual([503, 'LEASE_LOST']);
    expect(await leaseLeft()).toBeLessThanOrEqual(shortLeaseSeconds / 2);
    const ended = await until(async () => {
      const { body } = await node.request('GET', `/executions/${begun.body.executionId}`);
      return body.status === 'finished' && body;
    });
    expect(ended).toMatchObject({
      result: { outcome: { status: 'canceled', reason: expect.stringContaining('its lease has ended') } },
    });
    expect(await leaseLeft()).toBe(0);
    resume();
    await until(async () => (await ask(node, done.path)).status === 200);
  },
);
