// Threat model: T352, T353, T354, T355

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publishAs } from '../../../packages/server/src/cluster/testing/publish-as.ts';
import { socketVariable } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { sharedTwoNodes, type TwoNodes } from '../support/two-nodes.ts';

/** A source with the skill `forms`, and a function that changes what the skill prints. */
async function formsSource(): Promise<{ path: string; print(text: string): Promise<void> }> {
  const path = await temporaryFolder();
  const folder = join(path, 'forms');
  await mkdir(join(folder, 'scripts'), { recursive: true });
  const print = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'SKILL.md'), `---\nname: forms\ndescription: prints ${text}\n---\n`);
    await writeFile(join(folder, 'scripts/run.sh'), `echo ${text}\n`);
  };
  await print('first');
  await chmod(path, 0o755);
  return { path, print };
}

/** Runs a command on a node. Resolves to what it prints. */
async function run({ cluster }: TwoNodes, node: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await cluster.command(node, ...args, '--json');
  if (code !== 0) throw new Error(`ambit ${args.join(' ')} failed: ${stderr}`);
  return JSON.parse(stdout);
}

/** On a busy machine, a node may lose its lease for a moment. */
async function callForms(node: Daemon): Promise<string> {
  const { status, body } = await until(async () => {
    const answer = await node.execute('acme:forms', {});
    return answer.body.code !== 'LEASE_LOST' && answer;
  });
  return status === 200 ? (body.outcome.output?.stdout ?? body.outcome.status) : body.code;
}

/** A key that is made on node a, once node b knows it too, and requests with it. */
async function newKey(world: TwoNodes, name: string, ...options: readonly string[]) {
  const { stdout } = await world.cluster.command(
    'a',
    'key',
    'create',
    name,
    '--scope',
    'skills:execute',
    ...options,
  );
  const authorization = `Bearer ${stdout.trim()}`;
  const wait = (node: Daemon, path: string) =>
    node.request('POST', '/skills/waiter/execute', { body: { input: path }, headers: { authorization } });
  return { authorization, wait };
}

const reloadedEvents = `SELECT node FROM ambit.audit_events WHERE body LIKE '%config.reloaded%' AND body LIKE '%"clusterPolicy":1%'`;

describe.runIf(process.env[socketVariable] !== undefined)('the nodes of a cluster', () => {
  const world = sharedTwoNodes();

  test('run the skills that any of them installs, updates, approves or removes', async () => {
    const { a, b, cluster } = world();
    const source = await formsSource();
    await run(world(), 'a', 'skills', 'add', source.path, '--namespace', 'acme');
    await until(async () => (await callForms(b)) === 'CAPABILITY_DENIED');
    const { digest: first } = await run(world(), 'b', 'skills', 'approve', 'acme:forms');
    await until(async () => (await callForms(a)) === 'first\n');
    await until(async () => (await callForms(b)) === 'first\n');
    for (const node of [a, b])
      expect((await node.audit('?skill=acme:forms&limit=1'))[0].skill).toMatchObject({ digest: first });

    // A change while a node is away is applied when it returns.
    await b.stop();
    await source.print('second');
    await run(world(), 'a', 'skills', 'update');
    const { digest: second } = await run(world(), 'a', 'skills', 'approve', 'acme:forms');
    expect(await callForms(a)).toBe('second\n');
    world().b = await cluster.start('b');
    expect(await callForms(world().b)).toBe('second\n');
    expect((await world().b.audit('?skill=acme:forms&limit=1'))[0].skill).toMatchObject({ digest: second });
    const files = ['a', 'b'].map((name) => readFile(join(cluster.folder(name), 'ambit.lock'), 'utf8'));
    expect(await files[0]).toBe(await files[1]);

    await run(world(), 'b', 'skills', 'remove', 'acme:forms');
    await until(async () => (await callForms(a)) === 'SKILL_NOT_FOUND');
  });

  test('share the rate of a key, and other keys are not limited', async () => {
    const { a, b, waiter } = world();
    const file = waiter.file();
    await file.make();
    const limited = await newKey(world(), 'limited', '--rate', '3');
    const free = await newKey(world(), 'free');
    await until(async () => (await free.wait(b, file.path)).status === 200);
    await until(async () => (await free.wait(a, file.path)).status === 200);
    const statuses: number[] = [];
    for (const node of [a, b, a, b, a]) statuses.push((await limited.wait(node, file.path)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await limited.wait(b, file.path);
    expect([refused.body.code, (await b.audit('?actor=limited&limit=1'))[0].error.code]).toEqual([
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect((await free.wait(b, file.path)).status).toBe(200);
  });

  test('end the calls of a key that one of them revokes, and no others', async () => {
    const { a, b, waiter, cluster } = world();
    const [never, file] = [waiter.file(), waiter.file()];
    const gone = await newKey(world(), 'gone');
    const stays = await newKey(world(), 'stays');
    const done = waiter.file();
    await done.make();
    for (const node of [a, b])
      for (const key of [gone, stays])
        await until(async () => (await key.wait(node, done.path)).status === 200);
    const ended = [a, b].map((node) => gone.wait(node, never.path));
    const running = [a, b].map((node) => stays.wait(node, file.path));
    // A node also shows the calls of the other one.
    await until(async () => (await a.audit('?skill=waiter&outcome=running')).length === 4);
    await cluster.command('a', 'key', 'revoke', 'gone');
    for (const { body } of await Promise.all(ended))
      expect(body.outcome).toEqual({ status: 'canceled', reason: 'the key gone was revoked' });
    await file.make();
    for (const { body } of await Promise.all(running))
      expect(body.outcome).toMatchObject({ status: 'succeeded', output: 'released' });
    expect((await gone.wait(b, done.path)).status).toBe(401);
  });

  test('use the policy that one of them publishes, refuse calls if they cannot apply it, and use their own files after it is withdrawn', async () => {
    const { a, cluster, waiter, inDatabase } = world();
    const { path, make } = waiter.file();
    await make();
    const code = (node: Daemon, skill: string): Promise<string> =>
      until(async () => {
        const { status, body } = await node.execute(skill, { input: path });
        // On a busy machine, a node can lose its lease for a moment.
        if (status === 503 && body.detail.includes('it cannot renew its lease')) return undefined;
        return status === 200 ? body.outcome.status : body.code;
      });
    const file = join(cluster.folder('a'), 'ambit.config.yaml');
    const own = await readFile(file, 'utf8');
    const { grants, ...config } = JSON.parse(own);
    const publish = async (change: object) => {
      await writeFile(file, JSON.stringify({ ...config, ...change }));
      const published = await run(world(), 'a', 'cluster', 'policy', 'publish');
      await writeFile(file, own);
      return published;
    };
    const origin = async (key: string): Promise<string | undefined> =>
      (await run(world(), 'b', 'config')).values.find((entry: { key: string }) => entry.key === key)?.origin;
    const ofB = `file:${join(cluster.folder('b'), 'ambit.config.yaml')}`;
    expect([await code(world().b, 'waiter'), await origin('grants.waiter')]).toEqual(['succeeded', ofB]);

    const first = await publish({ grants: { writer: grants.writer } });
    expect([first.revision, first.changes.map(({ key }: { key: string }) => key)]).toEqual([
      ...[1, ['grants.writer']],
    ]);
    for (const node of [a, world().b]) {
      await until(async () => (await code(node, 'waiter')) === 'CAPABILITY_DENIED');
      expect(await code(node, 'writer')).toBe('succeeded');
    }
    const inForce = 'cluster policy, revision 1';
    await until(async () => (await origin('grants.writer')) === inForce);
    expect([await origin('grants.waiter'), await origin('deny')]).toEqual([undefined, inForce]);
    // A changed copy is not used.
    const copyOfB = join(world().b.dataDir, 'cluster/policy.json');
    const copied = await until(async () => {
      const text = await readFile(copyOfB, 'utf8');
      return JSON.parse(text).revision === 1 && text;
    });
    await writeFile(copyOfB, copied.replace('writer', 'waiter'));
    const unsigned = await cluster.command('b', 'config');
    expect([unsigned.code, unsigned.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining(
        `${copyOfB}: cannot use this copy of the policy of the cluster: the log of the cluster names another policy`,
      ),
    ]);
    expect(unsigned.code).not.toBe(0);
    await writeFile(copyOfB, copied);
    // The event that records it has its revision.
    await until(async () => (await inDatabase(reloadedEvents)).length === 2);
    // A node that starts uses it from its first call on.
    await world().b.stop();
    world().b = await cluster.start('b');
    await until(async () => (await code(world().b, 'writer')) !== 'LEASE_LOST');
    expect([await code(world().b, 'waiter'), await code(world().b, 'writer')]).toEqual([
      ...['CAPABILITY_DENIED', 'succeeded'],
    ]);

    // Only node a has the secret.
    const secrets = [{ name: 'ONLY_A', hosts: ['api.example'] }];
    const lacking = await run(world(), 'a', 'config');
    expect(lacking.values.some(({ key }: { key: string }) => key === 'secrets.ONLY_A')).toBe(false);
    const withSecret = { ...grants, waiter: { ...grants.waiter, secrets } };
    const { code: refused, stderr } = await (async () => {
      await writeFile(file, JSON.stringify({ ...config, grants: withSecret }));
      return cluster.command('a', 'cluster', 'policy', 'publish');
    })();
    expect([refused, stderr]).toEqual([expect.any(Number), expect.stringContaining('ONLY_A')]);
    await writeFile(
      file,
      JSON.stringify({ ...config, grants: withSecret, secrets: { ONLY_A: { env: 'ONLY_A' } } }),
    );
    await run(world(), 'a', 'config', 'reload');
    await run(world(), 'a', 'cluster', 'policy', 'publish');
    await until(async () => (await code(world().b, 'writer')) === 'LEASE_LOST');
    expect((await world().b.execute('writer', { input: path })).body.detail).toContain(
      'cannot apply the policy of the cluster, revision 2: it grants ONLY_A',
    );
    expect((await world().b.request('GET', '/readyz')).body.checks).toMatchObject({ policy: 'LEASE_LOST' });
    await until(async () => (await code(a, 'waiter')) === 'succeeded');

    await writeFile(file, own);
    await run(world(), 'a', 'config', 'reload');
    expect((await run(world(), 'a', 'cluster', 'policy', 'withdraw')).revision).toBe(3);
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'succeeded');
    expect(await origin('grants.waiter')).toBe(ofB);

    // What no node has signed is not applied, even under the same number.
    const changeContent = (content: string) =>
      inDatabase(`UPDATE ambit.documents SET content = '${content}' WHERE subject = 'policy'`);
    await changeContent('{"grants":{},"deny":{},"limits":{},"mcp":{"untrustedTools":true}}');
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'LEASE_LOST');
    await changeContent('null');
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'succeeded');

    // Nor under the next one, until a node publishes again.
    await inDatabase(
      `UPDATE ambit.documents SET revision = 4, content = '{"grants":{},"deny":{},"limits":{},"mcp":{"untrustedTools":true}}' WHERE subject = 'policy'`,
    );
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'LEASE_LOST');
    await publish({ grants });
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'succeeded');
    await run(world(), 'b', 'cluster', 'policy', 'withdraw');
    expect((await run(world(), 'b', 'cluster', 'verify')).intact).toBe(true);

    // A row that is no entry concerns no policy, and is found.
    const last = '(SELECT max(sequence) FROM ambit.cluster_log)';
    await inDatabase(`INSERT INTO ambit.cluster_log SELECT ${last} + 1, 'no JSON', 1, ''`);
    const found = await world().cluster.command('a', 'cluster', 'verify');
    expect([found.code, found.stdout]).toEqual([3, expect.stringContaining('is not signed by node 1')]);
    await inDatabase(`DELETE FROM ambit.cluster_log WHERE sequence = ${last}`);

    // Nor is what this version cannot use, although a node has signed it: no tiers, or a limit that no file can set.
    const { revision: usable } = await publish({ grants });
    const { tiers, ...untiered } = (await run(world(), 'a', 'cluster', 'policy', 'show')).policy.sections;
    const unusable = [
      ['tiers is missing; write a mapping', untiered],
      ['limits.timeoutMs: the maximum is 2147483647', { ...untiered, tiers, limits: { timeoutMs: 2 ** 31 } }],
    ] as const;
    for (const [index, [flaw, sections]] of unusable.entries()) {
      const revision = await publishAs(a.dataDir, world().url, usable + index, sections);
      for (const node of [a, world().b]) {
        const why = `cannot apply the policy of the cluster, revision ${revision}: this version of Ambit cannot use it (${flaw}); run the same version on all nodes, and publish the policy again`;
        await until(async () => {
          const { body } = await node.execute('waiter', { input: path });
          return body.code === 'LEASE_LOST' && body.detail.includes(why);
        });
      }
    }

    // Nor is an older revision: here, of a database that was restored.
    await publish({ grants });
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'succeeded');
    await inDatabase(`CREATE TABLE public.backup AS SELECT * FROM ambit.documents WHERE subject = 'policy'`);
    const { revision } = await run(world(), 'a', 'cluster', 'policy', 'withdraw');
    const copy = join(a.dataDir, 'cluster/policy.json');
    await until(async () => JSON.parse(await readFile(copy, 'utf8')).revision === revision);
    await inDatabase(`DELETE FROM ambit.cluster_log WHERE sequence = ${last}`);
    await inDatabase(
      `UPDATE ambit.documents SET revision = backup.revision, content = backup.content
       FROM public.backup WHERE documents.subject = 'policy'`,
    );
    await until(async () => (await code(a, 'waiter')) === 'LEASE_LOST');
    await run(world(), 'a', 'cluster', 'policy', 'publish');
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'succeeded');

    // Nor is a signed entry that was copied: here, to withdraw what is published.
    await inDatabase(
      `INSERT INTO ambit.cluster_log (sequence, statement, node, signature)
       SELECT ${last} + 1, statement, node, signature FROM ambit.cluster_log
       WHERE CAST(statement AS JSON) ->> 'revision' = '3'`,
    );
    await inDatabase(`UPDATE ambit.documents SET revision = 3, content = 'null' WHERE subject = 'policy'`);
    for (const node of [a, world().b]) await until(async () => (await code(node, 'waiter')) === 'LEASE_LOST');
    expect((await world().cluster.command('a', 'cluster', 'verify')).stdout).toContain(
      'repeats an earlier entry',
    );
  });
});
