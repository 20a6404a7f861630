// Threat model: T267

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { pythonSkill } from '../../support/skills.ts';
import { until } from '../../support/until.ts';
import { eventsIn, openStream } from '../support/streams.ts';
import { sharedWaiter, waiterWorld } from '../support/waiter.ts';

const text = 'ü'.repeat(500_000);

const { daemon } = sharedWaiter(
  { shouter: pythonSkill(`sys.stdout.write('ü' * ${text.length})`, { protocol: 'command' }) },
  { limits: { queue: 48 } },
);

test('finished, canceled and interrupted calls have their records after a restart', async () => {
  const { config, file } = await waiterWorld();
  const daemon = await startDaemon(config);
  const begin = async (path: string): Promise<string> => {
    const headers = { prefer: 'respond-async' };
    return (await daemon.request('POST', '/skills/waiter/execute', { body: { input: path }, headers })).body
      .executionId;
  };
  const [done, never] = [file(), file()];
  await done.make();
  const [first, second, third] = [await begin(done.path), await begin(never.path), await begin(never.path)];
  await daemon.request('GET', `/executions/${first}?wait=60`);
  // A canceled call can be canceled again.
  for (const _ of [1, 2])
    expect((await daemon.request('DELETE', `/executions/${second}`)).body).toMatchObject({
      status: 'finished',
      outcome: 'canceled',
    });
  await daemon.stop('SIGKILL');

  const next = await startDaemon(config, { dataDir: daemon.dataDir });
  const said = async (id: string) => (await next.request('GET', `/executions/${id}`)).body;
  const ofLog = {
    skillId: 'waiter',
    status: 'finished',
    detail: expect.stringMatching(/the response is not stored/),
  };
  expect([await said(first), await said(second), await said(third)]).toMatchObject([
    { ...ofLog, outcome: 'succeeded' },
    { ...ofLog, outcome: 'canceled' },
    { ...ofLog, outcome: 'interrupted' },
  ]);
});

test('a thousand connections wait for a daemon that is busy, instead of being dropped', async () => {
  const { hostname, port } = new URL(daemon().url);
  daemon().signal('SIGSTOP');
  const sockets = Array.from({ length: 1000 }, () => connect(Number(port), hostname));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  } finally {
    for (const socket of sockets) socket.destroy();
    daemon().signal('SIGCONT');
  }
  expect(await daemon().request('GET', '/healthz')).toMatchObject({ status: 200 });
});

test('a thousand simultaneous streams are each answered with their code, and the daemon continues to serve', async () => {
  const many = 1000;
  const one = async (): Promise<string> => {
    const response = await fetch(`${daemon().url}/skills/text-redact/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${daemon().key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ input: { text: 'x' } }),
    });
    const last = eventsIn(await response.text()).at(-1);
    return last?.name === 'result'
      ? last.data['outcome'].status
      : `${last?.data['code']} ${last?.data['retryAfterSeconds'] > 0}`;
  };
  const said = await Promise.all(Array.from({ length: many }, one));
  expect(new Set(said)).toEqual(new Set(['succeeded', 'OVERLOADED true']));
  expect(said.filter((each) => each === 'succeeded').length).toBeGreaterThan(16);
  expect(await daemon().execute('text-redact', { input: { text: 'x' } })).toMatchObject({
    status: 200,
    body: { outcome: { status: 'succeeded' } },
  });
});

test('large output is streamed completely to a current reader, and as a gap and the latest part to a later one', async () => {
  const response = await openStream(daemon(), '/skills/shouter/execute', { stdin: '1' });
  const told = eventsIn(Buffer.concat(await response.toArray()).toString());
  const textOf = (events: typeof told) =>
    events.map(({ name, data }) => (name === 'stdout' ? data.text : '')).join('');
  expect(told.at(-1)?.data).toMatchObject({ outcome: { status: 'succeeded' } });
  expect(told.map(({ name }) => name)).not.toContain('gap');
  expect(textOf(told) === text).toBe(true);
  const later = await fetch(`${daemon().url}${response.headers.location}/events`, {
    headers: { authorization: `Bearer ${daemon().key}` },
  });
  const kept = eventsIn(await later.text());
  expect(kept[0]).toMatchObject({ name: 'gap' });
  expect(textOf(kept).length).toBeGreaterThan(32_768);
});

test('a client that never reads blocks neither other clients nor shutdown', async () => {
  const talker = pythonSkill('print(json.dumps("x" * 12_000_000))', {
    limits: { outputBytes: 16_000_000 },
  });
  const daemon = await startDaemon((await waiterWorld({ talker })).config);
  const stuck = await Promise.all(
    ['text/event-stream', 'application/json'].map((accept) =>
      openStream(daemon, '/skills/talker/execute', { input: 1 }, accept),
    ),
  );
  for (const response of stuck) response.pause();
  expect(await daemon.execute('csv-profile', { input: { csv: 'a\n1\n' } })).toMatchObject({ status: 200 });
  await until(async () => (await daemon.audit('?skill=talker&outcome=succeeded')).length === stuck.length);
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});
