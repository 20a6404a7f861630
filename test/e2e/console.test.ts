import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signIn } from '../support/console-session.ts';
import { writeSkills } from '../support/skills.ts';
import { sharedDaemon, temporaryFolder } from './support/daemon.ts';

const daemon = sharedDaemon(async (skills) => {
  await writeSkills(skills, {
    sleeper: {
      'ambit.yaml': JSON.stringify({
        run: {
          runtime: 'process',
          entry: 'run.sh',
          protocol: 'command',
          capabilities: { exec: ['sh', 'sleep'] },
        },
      }),
      'run.sh': 'echo begun\nexec sleep 600\n',
    },
  });
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
  const code = async () => ({ headers: { 'ambit-confirmation': await session.confirmation() } });

  const adding = { body: { source, namespace: 'acme' } };
  expect((await session.request('POST', '/installs', adding)).body.code).toBe('CONFIRMATION_REQUIRED');
  const added = await session.request('POST', '/installs', { ...adding, ...(await code()) });
  expect(added.body).toMatchObject({ skills: [{ id: 'acme:note', change: 'added' }], refused: [] });
  const review = (await session.request('GET', '/installs/acme:note')).body;
  const body = { digest: review.digest, review: review.review };
  expect((await session.request('POST', '/installs/acme:note/approve', { body })).body.code).toBe(
    'CONFIRMATION_REQUIRED',
  );
  const approved = await session.request('POST', '/installs/acme:note/approve', { body, ...(await code()) });
  expect(approved.body).toMatchObject({ id: 'acme:note', by: `console:${id}` });
  const again = await session.request('POST', '/installs/acme:note/approve', {
    ...{ body: { ...body, review: 'another' }, ...(await code()) },
  });
  expect(again.body.code).toBe('REVIEW_STALE');

  const call = { body: { args: [] }, headers: { prefer: 'respond-async' } };
  expect((await session.request('POST', '/skills/sleeper/execute', call)).body.code).toBe(
    'CONFIRMATION_REQUIRED',
  );
  const unlocking = { body: { code: await session.confirmation() } };
  expect((await session.request('POST', '/console/session/unlock', unlocking)).status).toBe(200);
  const { executionId } = (await session.request('POST', '/skills/sleeper/execute', call)).body;
  const stream = session.request('GET', `/executions/${executionId}/events`);
  const { status } = await fetch(`${daemon().url}/console/sessions/${id}`, {
    ...{ method: 'DELETE', headers: { authorization: `Bearer ${daemon().key}` } },
  });
  expect(status).toBe(204);
  expect((await stream).body).not.toContain('event: result');
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
