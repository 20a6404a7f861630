// Threat model: T219, T226, T409

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signIn } from '../../support/console-session.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { patientLimits } from '../support/waiter.ts';

const daemon = sharedDaemon(async (skills) => {
  await writeSkills(skills, { sleeper: pythonSkill('time.sleep(600)', { limits: patientLimits }) });
  return { skills: [{ path: skills, tier: 'local' }] };
});

/** The events outside calls, in order. */
async function events() {
  const response = await fetch(`${daemon().url}/audit/follow`, {
    headers: { authorization: `Bearer ${daemon().key}`, 'last-event-id': '0' },
  });
  // biome-ignore lint/suspicious/noExplicitAny: any event, compared by the tests
  const found: any[] = [];
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (text.includes('"kind":"request.denied"') && text.endsWith('\n\n')) break;
  }
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) found.push(JSON.parse(data).event);
  return found.filter(({ kind }) => /^(console|skill)\./.test(kind));
}

test('a session reads, approves a skill with a code of its own, runs calls once unlocked, and ends with its stream', async () => {
  const source = join(await temporaryFolder(), 'acme');
  await mkdir(join(source, 'note'), { recursive: true });
  await writeFile(join(source, 'note/SKILL.md'), '---\nname: note\ndescription: Takes notes.\n---\nWrite.\n');
  const session = await signIn(daemon());
  const { id } = session;
  const code = async (decision: string) => ({
    headers: { 'ambit-confirmation': await session.confirmation(decision) },
  });

  const adding = { body: { source, namespace: 'acme' } };
  expect((await session.request('POST', '/installs', adding)).body.code).toBe('CONFIRMATION_REQUIRED');
  const added = await session.request('POST', '/installs', {
    ...adding,
    ...(await code(`add ${source} namespace=acme`)),
  });
  expect(added.body).toMatchObject({ skills: [{ id: 'acme:note', change: 'added' }], refused: [] });
  const review = (await session.request('GET', '/installs/acme:note')).body;
  const body = { digest: review.digest, review: review.review };
  expect((await session.request('POST', '/installs/acme:note/approve', { body })).body.code).toBe(
    'CONFIRMATION_REQUIRED',
  );
  const approved = await session.request('POST', '/installs/acme:note/approve', {
    body,
    ...(await code(`approve acme:note@${review.digest}@${review.review}`)),
  });
  expect(approved.body).toMatchObject({ id: 'acme:note', by: `console:${id}` });
  const again = await session.request('POST', '/installs/acme:note/approve', {
    body: { ...body, review: 'another' },
    ...(await code(`approve acme:note@${review.digest}@another`)),
  });
  expect(again.body.code).toBe('REVIEW_STALE');

  const call = { body: { input: 1 }, headers: { prefer: 'respond-async' } };
  expect((await session.request('POST', '/skills/sleeper/execute', call)).body.code).toBe(
    'CONFIRMATION_REQUIRED',
  );
  const unlocking = { body: { code: await session.confirmation() } };
  expect((await session.request('POST', '/console/session/unlock', unlocking)).status).toBe(200);
  const { executionId } = (await session.request('POST', '/skills/sleeper/execute', call)).body;
  const stream = session.request('GET', `/executions/${executionId}/events`);
  const followed = await session.open('GET', '/audit/follow');
  const { status } = await fetch(`${daemon().url}/console/sessions/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${daemon().key}` },
  });
  expect(status).toBe(204);
  expect((await stream).body).not.toContain('event: result');
  expect([followed.status, await followed.text()]).toEqual([200, expect.stringMatching(/^: following\n/)]);
  expect((await session.request('GET', '/skills')).body.code).toBe('UNAUTHENTICATED');
  const ended = await daemon().request('GET', `/executions/${executionId}?wait=10`);
  expect(ended.body).toMatchObject({ result: { outcome: { status: 'canceled' } } });

  // The events after this one are not read.
  await daemon().request('GET', '/nowhere');
  const confirmation = {
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    issuedAt: expect.any(Number),
  };
  const actor = `console:${id}`;
  const decisions = (await events()).filter((event) => 'confirmation' in event);
  expect(decisions).toMatchObject([
    { kind: 'console.opened', actor, confirmation },
    { kind: 'skill.installed', actor, confirmation },
    { kind: 'skill.approved', actor, confirmation },
    { kind: 'console.unlocked', actor, confirmation },
  ]);
  expect(new Set(decisions.map((event) => event.confirmation.digest)).size).toBe(4);
});

test('ambit console prints an address that signs in, a code that confirms, and lists and ends sessions', async () => {
  const { dataDir, url } = daemon();
  const config = join(dataDir, '../ambit.config.yaml');
  const run = (...words: string[]) => ambit([...words, '--config', config]);
  const address = (await run('console')).stdout.trim();
  const [page, code = ''] = address.split('#code=');
  expect(page).toBe(`${url}/console/`);
  const opened = await fetch(`${url}/console/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const { id } = (await opened.json()) as { id: string };
  const { code: confirmation } = JSON.parse((await run('console', 'confirm', '--json')).stdout);
  expect(confirmation).toMatch(/^ambit_code_[\w-]{43}$/);
  expect((await run('console', 'confirm', 'revoke', 'acme:note')).stderr).toContain(
    'It confirms only this: revoke acme:note',
  );
  const bare = await run('console', 'confirm', 'approve', 'acme:note');
  expect([bare.code, bare.stdout]).toEqual([3, '']);
  expect(bare.stderr).toContain('it does not name the digest of each skill');

  const sessions = async () => JSON.parse((await run('console', 'sessions', '--json')).stdout).sessions;
  expect((await sessions()).map((each: { id: string }) => each.id)).toEqual([id]);
  expect(await run('console', 'revoke', id)).toMatchObject({
    code: 0,
    stdout: `The session ${id} was ended.\n`,
  });
  expect(await sessions()).toEqual([]);
  const again = await run('console', 'revoke', id);
  expect([again.code, again.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('SESSION_NOT_FOUND'),
  ]);
  expect(again.code).not.toBe(0);
});

test('ambit console says that the console is off', async () => {
  const off = await startDaemon({ console: false });
  const refused = await ambit(['console', '--config', join(off.dataDir, '../ambit.config.yaml')]);
  expect(refused.stderr).toContain('the web console is off; to use it, remove "console: false"');
});

test('a session reads the configuration with its origins and the keys, and asks what the policy decides', async () => {
  const session = await signIn(daemon());
  const { values } = (await session.request('GET', '/configuration')).body;
  const file = `file:${join(daemon().dataDir, '../ambit.config.yaml')}`;
  const of = (wanted: string) => values.find(({ key }: { key: string }) => key === wanted);
  expect(of('listen.port')).toEqual({ key: 'listen.port', value: 0, origin: file });
  expect(of('console')).toEqual({ key: 'console', value: true, origin: 'default' });
  expect((await session.request('GET', '/keys')).body.keys).toEqual([
    { name: 'first', status: 'good', scopes: ['admin'] },
  ]);
  const asked = { body: { skill: 'sleeper', key: 'first', capability: { kind: 'exec', item: 'python3' } } };
  expect((await session.request('POST', '/policy/decide', asked)).body).toMatchObject({
    allowed: true,
    rule: 'tier',
    remedy: null,
  });
});

test('a session has the workspaces of the first key, which outlive it, changes them once unlocked, and sees no other workspaces', async () => {
  const session = await signIn(daemon());
  const actor = `console:${session.id}`;
  const config = join(daemon().dataDir, '../ambit.config.yaml');
  const { stdout } = await ambit(['key', 'create', 'other', '--scope', 'skills:execute', '--config', config]);
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  const own = (await daemon().request('POST', '/workspaces', { body: { label: 'own' } })).body;
  const others = (await daemon().request('POST', '/workspaces', { body: {}, headers })).body;

  expect((await session.request('GET', '/workspaces')).body.workspaces).toMatchObject([{ id: own.id }]);
  expect((await session.request('GET', `/workspaces/${own.id}`)).body).toEqual(own);
  expect((await session.request('GET', `/workspaces/${others.id}`)).body.code).toBe('WORKSPACE_NOT_FOUND');
  const file = `/workspaces/${own.id}/files/a.txt`;
  const bytes = { body: 'text', headers: { 'content-type': 'application/octet-stream' } };
  expect((await session.request('PUT', file, bytes)).body.code).toBe('CONFIRMATION_REQUIRED');
  expect((await session.request('DELETE', `/workspaces/${own.id}`)).body.code).toBe('CONFIRMATION_REQUIRED');

  await session.request('POST', '/console/session/unlock', { body: { code: await session.confirmation() } });
  expect((await session.request('PUT', file, bytes)).status).toBe(201);
  const made = (await session.request('POST', '/workspaces', { body: {} })).body;
  expect((await session.request('DELETE', `/workspaces/${others.id}`)).body.code).toBe('WORKSPACE_NOT_FOUND');
  expect((await session.request('DELETE', '/console/session')).status).toBe(204);
  expect((await session.request('GET', '/workspaces')).body.code).toBe('UNAUTHENTICATED');

  const left = (await daemon().request('GET', '/workspaces')).body.workspaces;
  expect(left.map(({ id, fileCount }: { id: string; fileCount: number }) => [id, fileCount])).toEqual([
    [own.id, 1],
    [made.id, 0],
  ]);
  const query = 'kind=workspace.created,workspace.written';
  const { body } = await daemon().request('GET', `/audit/events?${query}`);
  expect(body.events.map(({ event }: { event: object }) => event).reverse()).toMatchObject([
    { kind: 'workspace.created', workspace: own.id, actor: 'key' },
    { kind: 'workspace.created', workspace: others.id, actor: 'other' },
    { kind: 'workspace.written', workspace: own.id, actor, path: 'a.txt' },
    { kind: 'workspace.created', workspace: made.id, actor },
  ]);
});
