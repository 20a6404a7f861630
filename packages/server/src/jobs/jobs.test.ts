import { getEventListeners, once } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { JobTask, Lifetime } from './job.ts';
import { type JobBounds, jobBounds } from './job-bounds.ts';
import { openJobs } from './jobs.ts';
import { resultOf, textOf } from './testing/endings.ts';

const untied: Lifetime = { to: 'nothing' };

interface Begun {
  actor?: string;
  lifetime?: Lifetime;
  revoked?: AbortSignal;
  run?: JobTask;
}

/** Executions with a clock that stands, and a run that ends when it is aborted, with the reason. */
function opened(bounds: Partial<JobBounds> = {}) {
  let time = 0;
  const shutdown = new AbortController();
  const executions = openJobs({ ...jobBounds, ...bounds }, shutdown.signal, () => time);
  return {
    executions,
    shutdown,
    pass: (ms: number) => {
      time += ms;
    },
    begin: (executionId: string, { actor = 'ada', lifetime = untied, revoked, run = quick }: Begun = {}) =>
      executions.begin({ executionId, skillId: 'counter', actor, lifetime, revoked }, run),
  };
}

const quick: JobTask = async () => resultOf('1');
const untilAborted: JobTask = async (signal) => {
  if (!signal.aborted) await once(signal, 'abort');
  return resultOf(JSON.stringify((signal.reason as Error).message));
};

test('an execution is found while it runs and after it, with its answer', async () => {
  const { executions, begin, pass } = opened();
  const end = Promise.withResolvers<void>();
  const execution = begin('e1', {
    run: async (_, emit) => {
      emit?.('started', {});
      await end.promise;
      return resultOf('1');
    },
  });
  expect([executions.find('e1')?.state(), executions.find('e2')]).toEqual([{ status: 'running' }, undefined]);
  pass(5);
  end.resolve();
  await execution.ended;
  expect(executions.find('e1')?.state()).toEqual({ status: 'finished', endedAt: 5, ending: resultOf('1') });
});

test('bodies of one key take no more than its share, those of all no more than there is, and each gives back what it had', async () => {
  const { executions, shutdown } = opened({ bodyBytes: { most: 100, mostOfOne: 60 } });
  let id = 0;
  const begin = (actor: string, bodyBytes: number, run = untilAborted) =>
    executions.begin(
      { executionId: `e${++id}`, skillId: 'counter', actor, lifetime: untied, bodyBytes },
      run,
    );
  const first = begin('ada', 50);
  expect(() => begin('ada', 11)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  begin('ada', 10);
  expect(() => begin('bob', 41)).toThrow(
    'the requests that wait and run take as much memory as they may (60 bytes, of the key bob 0); send it again when some have ended',
  );
  begin('bob', 40);
  first.cancel(new Error('enough'));
  await first.ended;
  begin('ada', 50);
  shutdown.abort(new Error('over'));
  await executions.settled();
  // Alone, so that what is allowed to be sent is not refused for ever.
  await begin('ada', 1000, quick).ended;
});

test('one that has not left the queue is queued', () => {
  const { begin, shutdown } = opened();
  expect(begin('e1', { run: untilAborted }).state()).toEqual({ status: 'queued' });
  shutdown.abort(new Error('over'));
});

test('its events are those that were told, and the end is the last of them', async () => {
  const { begin } = opened();
  const execution = begin('e1', {
    run: async (_, emit) => {
      emit?.('started', {});
      emit?.('stdout', { text: 'a\n' });
      return resultOf('{"n":1}');
    },
  });
  await execution.ended;
  const events = [
    { id: 1, name: 'started', data: '{}' },
    { id: 2, name: 'stdout', data: '{"text":"a\\n"}' },
    { id: 3, name: 'result', data: Buffer.from('{"n":1}') },
  ];
  expect([0, 2, 3].map((id) => execution.eventsAfter(id))).toEqual(
    [events, events.slice(2), []].map((after) => ({ missed: 0, events: after, isOver: true })),
  );
  expect([0, 3, 4, 99].map(execution.resumeId)).toEqual([0, 3, 2, 2]);
});

test.each<[string, Lifetime, string | undefined]>([
  ['its client', { to: 'client', gone: AbortSignal.abort(new Error('gone')) }, '"gone"'],
  ['its watchers, and there are none', { to: 'watchers' }, '"nobody has watched it for a while"'],
  ['nothing', { to: 'nothing' }, undefined],
])('one that is tied to %s ends with it', async (_, lifetime, text) => {
  const { begin, shutdown } = opened({ graceMs: 0 });
  const execution = begin('e1', { lifetime, run: untilAborted });
  if (text !== undefined) expect(textOf(await execution.ended)).toBe(text);
  // A grace that begins later is over later.
  await begin('later', { lifetime: { to: 'watchers' }, run: untilAborted }).ended;
  expect(execution.state().status).toBe(text === undefined ? 'queued' : 'finished');
  shutdown.abort(new Error('over'));
  await execution.ended;
});

test('one that is watched goes on, and ends when the last watcher has gone and none comes', async () => {
  const { begin } = opened({ graceMs: 1 });
  const execution = begin('e1', { lifetime: { to: 'watchers' }, run: untilAborted });
  const [first, second] = [execution.subscribe(() => undefined), execution.subscribe(() => undefined)];
  first();
  first();
  expect(execution.state()).toEqual({ status: 'queued' });
  second();
  expect(textOf(await execution.ended)).toBe('"nobody has watched it for a while"');
});

test('whoever watches is called for each event and for the end, and not after it has stopped', async () => {
  const { begin } = opened();
  const [told, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let news = 0;
  const execution = begin('e1', {
    run: async (_, emit) => {
      await told.promise;
      emit?.('log', {});
      await end.promise;
      return resultOf('1');
    },
  });
  const stop = execution.subscribe(() => {
    news += 1;
  });
  told.resolve();
  await vi.waitUntil(() => news === 1);
  end.resolve();
  await execution.ended;
  expect(news).toBe(2);
  stop();
});

test('a canceled one ends with the reason, and canceling it again does nothing', async () => {
  const { begin } = opened();
  const execution = begin('e1', { run: untilAborted });
  execution.cancel(new Error('ada canceled it'));
  execution.cancel(new Error('and again'));
  expect(textOf(await execution.ended)).toBe('"ada canceled it"');
  execution.cancel(new Error('and after it'));
  expect(execution.state().status).toBe('finished');
});

test.each<Lifetime>([untied, { to: 'watchers' }, { to: 'client', gone: new AbortController().signal }])(
  'one that is tied to %j ends when its key is revoked, and one of another key does not',
  async (lifetime) => {
    const { begin, shutdown } = opened();
    const [key, other] = [new AbortController(), new AbortController()];
    const execution = begin('e1', { lifetime, revoked: key.signal, run: untilAborted });
    const theirs = begin('e2', { lifetime, revoked: other.signal, run: untilAborted });
    key.abort(new Error('the key ada was revoked'));
    expect(textOf(await execution.ended)).toBe('"the key ada was revoked"');
    // One that begins at that very moment, of a request that was let in before.
    const late = begin('e3', { lifetime, revoked: key.signal, run: untilAborted });
    expect(textOf(await late.ended)).toBe('"the key ada was revoked"');
    expect(theirs.state().status).not.toBe('finished');
    shutdown.abort(new Error('over'));
  },
);

test('one that has ended listens to nobody any more, and one that runs does', async () => {
  const { begin, shutdown } = opened();
  const [client, key] = [new AbortController(), new AbortController()];
  const listeners = () =>
    [shutdown.signal, client.signal, key.signal].map((signal) => getEventListeners(signal, 'abort').length);
  const lifetime: Lifetime = { to: 'client', gone: client.signal };
  const execution = begin('e1', { lifetime, revoked: key.signal, run: untilAborted });
  expect(listeners()).toEqual([1, 1, 1]);
  client.abort(new Error('gone'));
  expect(textOf(await execution.ended)).toBe('"gone"');
  expect(listeners()).toEqual([0, 0, 0]);
});

test('a key has so many untied ones at a time, and another its own', async () => {
  const { begin, executions, shutdown } = opened({ untiedMax: 1 });
  begin('e1', { run: untilAborted });
  expect(() => begin('e2')).toThrow(
    expect.objectContaining({
      code: 'OVERLOADED',
      message: expect.stringMatching(/^1 calls of the key ada run that are tied to no connection/),
    }),
  );
  begin('e3', { actor: 'bob', run: untilAborted });
  begin('e4', { lifetime: { to: 'client', gone: new AbortController().signal }, run: untilAborted });
  begin('e5', { lifetime: { to: 'watchers' }, run: untilAborted });
  shutdown.abort(new Error('over'));
  await executions.settled();
  await begin('e6').ended;
});

test('one that was tied to its client is not kept, for its client has the answer', async () => {
  const { begin, executions } = opened();
  const lifetime: Lifetime = { to: 'client', gone: new AbortController().signal };
  await begin('e1', { lifetime }).ended;
  await begin('e2').ended;
  expect([executions.find('e1'), executions.find('e2')?.executionId]).toEqual([undefined, 'e2']);
});

test('those that have ended are kept for a time', async () => {
  const { begin, executions, pass } = opened({ kept: { ...jobBounds.kept, forMs: 10 } });
  await begin('e1').ended;
  pass(9);
  await begin('e2').ended;
  expect(executions.find('e1')).toBeDefined();
  pass(1);
  expect([executions.find('e1'), executions.find('e2')?.executionId]).toEqual([undefined, 'e2']);
});

test.each<[string, Partial<JobBounds['kept']>]>([
  ['so many', { most: 3 }],
  ['so many bytes', { bytesMax: 30 }],
])('%s are kept, and those of the key that has most go first', async (_, bound) => {
  const { begin, executions } = opened({ kept: { ...jobBounds.kept, ...bound } });
  const run: JobTask = async () => resultOf('1234567890');
  await begin('other', { actor: 'bob', run }).ended;
  for (const id of ['e1', 'e2', 'e3', 'e4']) await begin(id, { run }).ended;
  expect(['other', 'e1', 'e2', 'e3', 'e4'].filter((id) => executions.find(id))).toEqual([
    'other',
    'e3',
    'e4',
  ]);
});

test('the latest is kept even when it is over the bounds by itself', async () => {
  const { begin, executions } = opened({ kept: { ...jobBounds.kept, bytesMax: 5 } });
  await begin('e1', { run: async () => resultOf('1234567890') }).ended;
  expect(executions.find('e1')).toBeDefined();
  await begin('e2').ended;
  expect([executions.find('e1'), executions.find('e2')?.executionId]).toEqual([undefined, 'e2']);
});
