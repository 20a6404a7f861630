// Threat model: T346

import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ambitClient, type FollowedEntry } from '../../../packages/client/src/index.ts';
import { socketVariable } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { sharedTwoNodes } from '../support/two-nodes.ts';

describe.runIf(process.env[socketVariable] !== undefined)('the audit of a cluster', () => {
  const world = sharedTwoNodes();

  test('a receipt has the proof that the tree covers it, once a checkpoint does, and the tree is served in the layout of C2SP', async () => {
    const { cluster } = world();
    const { executionId } = (await world().a.execute('json-query', { input: { query: 'a', document: {} } }))
      .body;
    expect((await world().a.request('GET', `/audit/${executionId}/receipt`)).body).not.toHaveProperty(
      'inclusion',
    );
    // A daemon signs a checkpoint when it stops.
    await world().a.stop();
    world().a = await cluster.start('a');
    const daemon = world().a;
    const receipt = await until(async () => {
      const { body } = await daemon.request('GET', `/audit/${executionId}/receipt`);
      return body['inclusion'] !== undefined && body;
    });
    const file = join(await temporaryFolder(), 'receipt.json');
    await writeFile(file, JSON.stringify(receipt));
    await cp(join(cluster.folder('a'), 'data', 'audit-key.pub'), `${file}.pub`);
    const check = (...more: readonly string[]) =>
      cluster.command('a', 'audit', 'verify-receipt', file, '--public-key', `${file}.pub`, ...more);
    const authority = ['--authority', join(cluster.folder('a'), 'data', 'cluster', 'authority.crt')];
    expect((await check()).stdout).toMatch(/ is signed by node [12]\. To check .* add: --authority FILE\n$/);
    const certified = await check(...authority);
    expect([certified.code, certified.stdout]).toEqual([
      ...[0, expect.stringMatching(/ is signed by node [12], which the authority has certified\.\n$/)],
    ]);
    // Another cluster's authority has certified no node of this one.
    const other = join(await temporaryFolder(), 'authority.crt');
    await writeFile(other, receipt['inclusion'].signer.certificate);
    expect((await check('--authority', other)).code).toBe(3);
    const leaf = receipt['inclusion'].leaf.replace('"node":1', '"node":2');
    await writeFile(file, JSON.stringify({ ...receipt, inclusion: { ...receipt['inclusion'], leaf } }));
    expect((await check()).code).toBe(3);
    const { signer: by } = receipt['inclusion'];
    const signer = { ...by, node: 3 - by.node };
    await writeFile(file, JSON.stringify({ ...receipt, inclusion: { ...receipt['inclusion'], signer } }));
    expect((await check()).code).toBe(3);

    const get = async (path: string) =>
      fetch(`${daemon.url}/audit/tree/${path}`, { headers: { authorization: `Bearer ${daemon.key}` } });
    const [origin, size] = (await (await get('checkpoint')).text()).split('\n');
    expect(origin).toMatch(/^ambit\/[0-9a-f-]{36}$/);
    const tile = await get(`tile/0/000.p/${size}`);
    expect([tile.status, (await tile.arrayBuffer()).byteLength]).toEqual([200, 32 * Number(size)]);
    expect((await get('tile/0/001')).status).toBe(404);
  });

  test('every node shows the records of all nodes, and verification names a lost node and finds a change', async () => {
    const { a, b, cluster, inDatabase, endLease } = world();
    const called = async (node: Daemon) =>
      (await node.execute('text-redact', { input: { text: 'x' } })).body.executionId as string;
    const ids = [await called(a), await called(b)];
    const shown = async (node: Daemon) =>
      (await node.audit('?skill=text-redact')).map((record) => `${record['node']} ${record['executionId']}`);
    const all = [`b ${ids[1]}`, `a ${ids[0]}`];
    expect(await until(async () => (await shown(a)).length === 2 && shown(a))).toEqual(all);
    expect(await until(async () => (await shown(b)).length === 2 && shown(b))).toEqual(all);
    expect((await a.request('GET', `/audit/${ids[1]}`)).body).toMatchObject({
      node: 'b',
      executionId: ids[1],
    });
    expect((await b.request('GET', '/audit/stats?skill=text-redact')).body.all).toMatchObject({ calls: 2 });

    // A stream at one node has the events of all of them, and another node resumes it after any event.
    const follow = ({ url, key }: Daemon, after?: string) => {
      const ended = new AbortController();
      onTestFinished(() => ended.abort());
      const entries: FollowedEntry[] = [];
      void (async () => {
        const options = { after, signal: ended.signal };
        for await (const entry of ambitClient({ url, key }).audit.follow(options)) entries.push(entry);
      })().catch(() => undefined);
      /** The beginning of one of these calls. */
      const started = (...ids: string[]) =>
        entries.find(
          ({ event }) => event.kind === 'call.started' && ids.includes(String(event['executionId'])),
        );
      return { entries, started };
    };
    const following = follow(a);
    // It begins with the next event after it was opened.
    const tried: string[] = [];
    const seen = await until(async () => {
      tried.push(await called(b));
      return following.started(...tried);
    });
    expect(seen).toMatchObject({ node: 'b', event: { skill: { id: 'text-redact' } } });
    expect(seen.id).toMatch(/^1:\d+,2:\d+$/);
    const later = await called(a);
    expect(await until(async () => following.started(later))).toMatchObject({ node: 'a' });
    const resumed = follow(b, seen.id);
    expect(await until(async () => resumed.started(later))).toMatchObject({ node: 'a' });
    expect(resumed.entries.map(({ id }) => id)).not.toContain(seen.id);
    const records = await until(async () => (await shown(a))[0] === `a ${later}` && shown(a));

    const verify = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await cluster.command('a', ...args, '--json');
      return { code, found: stdout === '' ? stderr : JSON.parse(stdout) };
    };
    const first = await verify('audit', 'verify', '--cluster');
    expect(first).toMatchObject({ code: 0, found: { intact: true, findings: [] } });
    expect(first.found.nodes.map(({ name, end }: { name: string; end: string }) => [name, end])).toEqual([
      ['a', 'running'],
      ['b', 'running'],
    ]);

    await b.stop('SIGKILL');
    await endLease('b');
    const lost = await until(async () => {
      const { found } = await verify('cluster', 'verify');
      return found.nodes?.[1]?.end === 'lost' && found;
    });
    expect(lost).toMatchObject({ intact: true, nodes: [{ end: 'running' }, { name: 'b', end: 'lost' }] });
    expect(lost.nodes[1].sentThrough).toBeGreaterThan(2);
    // The record of the lost node is found, and the node continues its log when it returns.
    expect(await shown(a)).toEqual(records);
    world().b = await cluster.start('b');
    const third = await called(world().b);
    expect(await until(async () => (await shown(a))[0] === `b ${third}` && shown(a))).toEqual([
      `b ${third}`,
      ...records,
    ]);

    await inDatabase(
      `UPDATE ambit.audit_events SET body = replace(body, 'text-redact', 'text-retact') WHERE node = 2`,
    );
    const changed = await verify('cluster', 'verify');
    expect(changed).toMatchObject({
      code: 3,
      found: { intact: false, findings: [{ reason: 'log', node: 2 }] },
    });
  });
});
