import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { socketVariable } from '../../packages/server/src/store/testing/postgres-databases.ts';
import type { Daemon } from '../support/daemon-process.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from './support/daemon.ts';
import { sharedTwoNodes, type TwoNodes } from './support/two-nodes.ts';

/** A source with the skill `forms`, and a function that changes what the skill prints. */
async function formsSource(): Promise<{ path: string; print(text: string): Promise<void> }> {
  const path = await temporaryFolder();
  const folder = join(path, 'forms');
  await mkdir(join(folder, 'scripts'), { recursive: true });
  const print = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'SKILL.md'), `---\nname: forms\ndescription: prints ${text}\n---\n`);
    await writeFile(join(folder, 'scripts/run.py'), `print("${text}")\n`);
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

async function callForms(node: Daemon): Promise<string> {
  const { status, body } = await node.execute('acme:forms', {});
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
  }, 120_000);

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
  }, 120_000);

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
  }, 120_000);
});
