// Threat model: T145, T154, T157, T166

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { canonicalJson } from '../../../packages/core/src/json.ts';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { git } from '../../support/git-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { installsOf, repositoriesIn } from '../support/installs.ts';
import { httpClient } from '../support/mcp-client.ts';
import { patientLimits } from '../support/waiter.ts';

function skillMd(name: string): string {
  return `---\nname: ${name}\ndescription: d\n---\n`;
}

const repositories = await repositoriesIn(await temporaryFolder({}, afterAll));
afterAll(repositories.close);
const daemon = sharedDaemon(async () => ({ installs: { network: [repositories.url] } }));
const { post, review, approve, printed } = installsOf(daemon);

/** A repository whose skill prints a text; `print` moves its branch to a commit that prints another one. */
function repository(owner: string) {
  const { publish, source } = repositories.of(owner);
  const print = (script: string): void =>
    publish({ 'forms/SKILL.md': skillMd('forms'), 'forms/scripts/run.py': script });
  return { print, source };
}

/** By the key alone, as a reader without the log checks it. */
function isSigned(receipt: { statement: object; signature: string }, key: KeyObject): boolean {
  const statement = Buffer.from(canonicalJson(receipt.statement));
  return verify(null, statement, key, Buffer.from(receipt.signature, 'base64'));
}

test('a branch that moves between the review and the approval changes nothing of what is approved, and each step has a receipt', async () => {
  const { print, source } = repository('acme');
  print('print("first")');
  await post('', { source });
  const first = await review('acme:forms');
  print('print("not reviewed")');
  expect(await approve('acme:forms', first)).toMatchObject({ digest: first.digest });
  expect(await printed('acme:forms')).toBe('first\n');

  expect((await post('/update', {})).skills).toMatchObject([{ change: 'waiting' }]);
  const second = await review('acme:forms');
  print('print("third")');
  await post('/update', {});
  expect((await approve('acme:forms', second)).code).toBe('REVIEW_STALE');
  expect(await printed('acme:forms')).toBe('first\n');
  await approve('acme:forms', await review('acme:forms'));
  const call = (await daemon().execute('acme:forms', { receipt: true })).body;
  expect(call.outcome.output.stdout).toBe('third\n');
  await post('/revoke', { subject: 'acme:forms', reason: 'it lies' });
  await post('/restore', { subject: 'acme:forms' });
  await post('/remove', { skills: ['acme:forms'] });

  const key = createPublicKey(await readFile(join(daemon().dataDir, 'audit-key.pub'), 'utf8'));
  const { events, flaws } = walkLog(join(daemon().dataDir, 'audit.db'));
  const steps = events.filter(({ event: { kind } }) => /^(?:skill|install)\./.test(kind));
  expect([flaws, steps.map(({ event }) => event.kind)]).toEqual([
    [],
    [
      ...['skill.installed', 'skill.approved', 'skill.changed', 'skill.installed', 'skill.installed'],
      ...[
        'install.refused',
        'skill.approved',
        'skill.changed',
        'skill.revoked',
        'skill.restored',
        'skill.removed',
      ],
    ],
  ]);
  for (const { sequence, event } of steps) {
    const receipt = (await daemon().request('GET', `/audit/events/${sequence}/receipt`)).body;
    expect([isSigned(receipt, key), receipt.statement]).toMatchObject([true, { sequence, event }]);
    const forged = { ...receipt, statement: { ...receipt.statement, sequence: sequence + 1 } };
    expect(isSigned(forged, key)).toBe(false);
  }
  expect([isSigned(call.receipt, key), call.receipt.statement]).toMatchObject([
    ...[true, { skill: { id: 'acme:forms' }, outcome: 'succeeded' }],
  ]);
});

test('with updates: auto, a version that drops its ambit.yaml waits instead of getting the whole grant, and a version that gets no more takes over', async () => {
  const granted = await temporaryFolder();
  await chmod(granted, 0o755);
  await writeFile(join(granted, 'plan.txt'), 'the plan', { mode: 0o644 });
  const own = await startDaemon({
    installs: { network: [repositories.url], updates: 'auto', minAgeHours: 0 },
    grants: { 'dropper:forms': { filesystem: { read: [granted] } } },
  });
  const { post: change, review: reviewed, approve: approved, printed: said } = installsOf(() => own);
  const id = 'dropper:forms';
  const capabilities = { exec: ['python3'], filesystem: { write: ['workspace'] } };
  const run = { runtime: 'process', protocol: 'command', entry: 'scripts/run.py', capabilities };
  const reading = (version: string) =>
    `try: print("${version}", open("${granted}/plan.txt").read())\nexcept OSError: print("${version} nothing")\n`;
  const { folder, publish, source } = repositories.of('dropper');
  publish({
    'forms/SKILL.md': skillMd('forms'),
    'forms/scripts/run.py': reading('first'),
    'forms/ambit.yaml': JSON.stringify({ run }),
  });
  await change('', { source });
  await approved(id);
  expect(await said(id)).toBe('first nothing\n');
  publish({ 'forms/scripts/run.py': reading('second') });
  expect(await change('/update')).toMatchObject({ skills: [{ change: 'approved', wider: [] }] });
  expect(await said(id)).toBe('second nothing\n');

  git(folder, 'rm', '-q', 'forms/ambit.yaml');
  publish({ 'forms/scripts/run.py': reading('third') });
  const more = [
    'scripts/run.py: ambit.yaml no longer limits it',
    `scripts/run.py: filesystem.read ${granted}`,
    `-m MODULE: filesystem.read ${granted}`,
  ];
  expect(await change('/update')).toMatchObject({ skills: [{ change: 'waiting', wider: more }] });
  expect(await change('/update')).toMatchObject({ skills: [{ change: 'waiting', wider: more }] });
  expect(await said(id)).toBe('second nothing\n');
  const gets = `filesystem.read ${granted}, filesystem.write workspace, exec python3`;
  expect(await reviewed(id)).toMatchObject({
    wider: more,
    gets: [`scripts/run.py: ${gets}`, `-m MODULE: ${gets}`],
  });
  await approved(id);
  expect(await said(id)).toBe('third the plan\n');
});

test('removing a skill ends its running call, and no call of it starts afterwards', async () => {
  const { print, source } = repository('sleepers');
  print('import time\nprint("on", flush=True)\ntime.sleep(600)\n');
  await post('', { source });
  await approve('sleepers:forms', await review('sleepers:forms'));
  const call = daemon().execute('sleepers:forms', { limits: patientLimits });
  await vi.waitUntil(async () => (await daemon().audit('?outcome=running')).length > 0);
  await post('/remove', { skills: ['sleepers:forms'] });
  expect((await call).body).toMatchObject({ outcome: { status: 'canceled' } });
  expect((await daemon().execute('sleepers:forms', {})).body.code).toBe('SKILL_NOT_FOUND');
});

test("an installed skill cannot change its own files, which the data directory's owner can delete", async () => {
  const { print, source } = repository('movers');
  print(`import json, os
def attempt(change):
    try:
        change()
        return "done"
    except OSError as error:
        return os.strerror(error.errno)
attacks = {
    "add": lambda at: open(at + "/added", "w"),
    "write": lambda at: open(at + "/SKILL.md", "a"),
    "chmod": lambda at: os.chmod(at + "/SKILL.md", 0o666),
    "rename": lambda at: os.rename(at + "/SKILL.md", at + "/OTHER.md"),
    "remove": lambda at: os.remove(at + "/scripts/run.py"),
}
os.mkdir("scripts")
for name in "SKILL.md", "scripts/run.py":
    open(name, "w").close()
print(json.dumps([{name: attempt(lambda: attack(at)) for name, attack in attacks.items()} for at in ("/skill", ".")]))
`);
  await post('', { source });
  const { digest } = await review('movers:forms');
  await approve('movers:forms', await review('movers:forms'));
  const refused = 'Read-only file system';
  expect(JSON.parse(await printed('movers:forms'))).toEqual([
    // A daemon that runs as root runs skills as another user, who may not open the file.
    {
      add: refused,
      write: expect.toBeOneOf([refused, 'Permission denied']),
      chmod: refused,
      rename: refused,
      remove: refused,
    },
    { add: 'done', write: 'done', chmod: 'done', rename: 'done', remove: 'done' },
  ]);
  expect((await review('movers:forms')).digest).toBe(digest);
  const stored = join(daemon().dataDir, 'installs/movers');
  expect(await readdir(stored)).toEqual([digest.replace('sha256:', '')]);
  await rm(stored, { recursive: true });
  expect((await daemon().execute('movers:forms', {})).body.code).toMatch(
    /^(?:SKILL_NOT_FOUND|LOCK_MISMATCH)$/,
  );
});

test('over MCP, no tool installs or decides, also with a key that may do both over HTTP', async () => {
  const { print, source } = repository('served');
  print('print("on")');
  await post('', { source });
  const client = await httpClient(daemon());
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  const decides =
    /install|approve|revoke|restore|update|sync|outdated|propose|packages|remove_skill|add_skill/i;
  expect(names.filter((name) => decides.test(name))).toEqual([]);
  for (const name of [
    'approve',
    'skills_approve',
    'approveInstalled',
    'installs',
    'addInstalled',
    'ambit_approve',
  ]) {
    const called = client.callTool({ name, arguments: { id: 'served:forms', skills: ['served:forms'] } });
    await expect(
      called.then(({ isError }) => (isError === true ? Promise.reject(new Error('refused')) : 'done')),
    ).rejects.toThrow();
  }
  expect((await review('served:forms')).skill.state).toBe('unapproved');
  await approve('served:forms', await review('served:forms'));
  expect((await review('served:forms')).skill.state).toBe('approved');
});

test.each([
  '\\\\host\\share\\skills',
  '//host/share',
  'C:\\skills',
  '\\\\?\\C:\\skills',
  'file:///etc',
  'ext::sh -c x',
])('the source %j of another system or protocol is refused and recorded', async (source) => {
  expect(await post('', { source })).toMatchObject({ status: 422, code: 'SOURCE_UNSUPPORTED' });
  const { events } = walkLog(join(daemon().dataDir, 'audit.db'));
  const refused = events.findLast(({ event }) => event.kind === 'install.refused');
  expect(refused?.event).toMatchObject({ subject: source, count: 1 });
});

describe('two commands at the same time, without a daemon,', () => {
  test('keep each other’s skills and their approvals', async () => {
    const cwd = await temporaryFolder();
    const sources = ['one', 'two', 'three'];
    for (const name of sources) {
      await mkdir(join(cwd, name, 'forms/scripts'), { recursive: true });
      await writeFile(join(cwd, name, 'forms/SKILL.md'), skillMd('forms'));
      await writeFile(join(cwd, name, 'forms/scripts/run.py'), `print("${name}")\n`);
    }
    const run = (...args: string[]) => ambit(['--json', '--data-dir', join(cwd, 'data'), ...args], { cwd });
    const added = await Promise.all(sources.map((name) => run('skills', 'add', join(cwd, name))));
    expect(added.map(({ code, stderr }) => [code, stderr])).toEqual(sources.map(() => [0, '']));
    const changes = await Promise.all([
      run('skills', 'approve', 'one:forms'),
      run('skills', 'approve', 'two:forms'),
      run('skills', 'remove', 'three:forms'),
    ]);
    expect(changes.map(({ code, stderr }) => [code, stderr])).toEqual(sources.map(() => [0, '']));
    const { skills } = JSON.parse((await run('skills', 'installed')).stdout);
    expect(skills).toMatchObject([
      { id: 'one:forms', state: 'approved' },
      { id: 'two:forms', state: 'approved' },
    ]);
    expect(walkLog(join(cwd, 'data/audit.db')).flaws).toEqual([]);
  });
});
