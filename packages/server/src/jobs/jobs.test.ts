// Threat model: T232, T267, T269, T280

import { getEventListeners, once } from 'node:events';
import { expect, test } from 'vitest';
import { resultOf, textOf } from '../testing/job-responses.ts';
import type { EmitEvent, Lifetime, OpenJob } from './job.ts';
import { type JobBounds, jobBounds } from './job-bounds.ts';
import type { JobResponse } from './job-response.ts';
import { openJobs } from './jobs.ts';

type JobTask = (signal: AbortSignal, emit: EmitEvent | undefined) => Promise<JobResponse>;

const detached: Lifetime = { kind: 'detached' };

interface Begun {
  actor?: string;
  lifetime?: Lifetime;
  revoked?: AbortSignal;
  run?: JobTask;
}

/** Jobs with a fixed clock, and a run that ends with the reason when it is aborted. */
function opened(bounds: Partial<JobBounds> = {}) {
  let time = 0;
  const shutdown = new AbortController();
  const jobs = openJobs({ ...jobBounds, ...bounds }, shutdown.signal, () => time);
  return {
    jobs,
    shutdown,
    pass: (ms: number) => {
      time += ms;
    },
    begin: (executionId: string, { actor = 'ada', lifetime = detached, revoked, run = quick }: Begun = {}) =>
      started(jobs.open({ executionId, skillId: 'counter', actor, lifetime, revoked }), run),
  };
}

/** Runs a job to its end, like a request. */
function started(job: OpenJob, run: JobTask): OpenJob {
  void run(job.signal, job.emit).then(job.finish);
  return job;
}

const quick: JobTask = async () => resultOf('1');
const untilAborted: JobTask = async (signal) => {
  if (!signal.aborted) await once(signal, 'abort');
  return resultOf(JSON.stringify((signal.reason as Error).message));
};

test('limits the memory of bodies per key and in total, and frees it when requests end', async () => {
  const { jobs, shutdown } = opened({ bodyBytes: { totalMax: 100, eachMax: 60 } });
  let id = 0;
  const begin = (actor: string, bodyBytes: number, run = untilAborted) =>
    started(
      jobs.open({ executionId: `e${++id}`, skillId: 'counter', actor, lifetime: detached, bodyBytes }),
      run,
    );
  const first = begin('ada', 50);
  expect(() => begin('ada', 11)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  begin('ada', 10);
  expect(() => begin('bob', 41)).toThrow(
    'request memory full: 60 bytes in use, 0 of them by the key bob; send the request again when some have ended',
  );
  begin('bob', 40);
  first.cancel(new Error('enough'));
  await first.ended();
  begin('ada', 50);
  shutdown.abort(new Error('over'));
  await jobs.settled();
  // A permitted body is accepted if it is alone. Otherwise it would be refused forever.
  await begin('ada', 1000, quick).ended();
});

const waited: Lifetime = { kind: 'client', whenGone: () => undefined };

test.each<[string, Lifetime, string | undefined]>([
  ['its client', { kind: 'client', whenGone: (abort) => abort(new Error('gone')) }, '"gone"'],
  ['watchers, without any', { kind: 'watchers' }, '"no client has followed it for a while"'],
  ['nothing', { kind: 'detached' }, undefined],
])('a job ends with its lifetime: %s', async (_, lifetime, text) => {
  const { begin, shutdown } = opened({ graceMs: 0 });
  const job = begin('e1', { lifetime, run: untilAborted });
  if (text !== undefined) expect(textOf(await job.ended())).toBe(text);
  // A grace period that begins later ends later.
  await begin('later', { lifetime: { kind: 'watchers' }, run: untilAborted }).ended();
  expect(job.state().status).toBe(text === undefined ? 'queued' : 'finished');
  shutdown.abort(new Error('over'));
  await job.ended();
});

test('a job continues while it is watched, and ends when its last watcher has left and none returns', async () => {
  const { begin } = opened({ graceMs: 1 });
  const job = begin('e1', { lifetime: { kind: 'watchers' }, run: untilAborted });
  const [first, second] = [job.subscribe(() => undefined), job.subscribe(() => undefined)];
  first();
  first();
  expect(job.state()).toEqual({ status: 'queued' });
  second();
  expect(textOf(await job.ended())).toBe('"no client has followed it for a while"');
});

test.each<Lifetime>([detached, { kind: 'watchers' }, waited])(
  'a job with the lifetime %j ends when its key is revoked, and a job of another key does not',
  async (lifetime) => {
    const { begin, shutdown } = opened();
    const [key, other] = [new AbortController(), new AbortController()];
    const job = begin('e1', { lifetime, revoked: key.signal, run: untilAborted });
    const theirs = begin('e2', { lifetime, revoked: other.signal, run: untilAborted });
    key.abort(new Error('the key ada was revoked'));
    expect(textOf(await job.ended())).toBe('"the key ada was revoked"');
    // A job that starts at the same moment, for a request that was accepted before.
    const late = begin('e3', { lifetime, revoked: key.signal, run: untilAborted });
    expect(textOf(await late.ended())).toBe('"the key ada was revoked"');
    expect(theirs.state().status).not.toBe('finished');
    shutdown.abort(new Error('over'));
  },
);

test('running jobs share one listener on each signal, and finished ones leave none', async () => {
  const { begin, shutdown } = opened();
  const key = new AbortController();
  const gone = Promise.withResolvers<Error>();
  const listeners = () =>
    [shutdown.signal, key.signal].map((signal) => getEventListeners(signal, 'abort').length);
  const lifetime: Lifetime = { kind: 'client', whenGone: (abort) => void gone.promise.then(abort) };
  const job = begin('e1', { lifetime, revoked: key.signal, run: untilAborted });
  const other = begin('e2', { lifetime, revoked: key.signal, run: untilAborted });
  expect(listeners()).toEqual([1, 1]);
  gone.resolve(new Error('gone'));
  for (const each of [job, other]) expect(textOf(await each.ended())).toBe('"gone"');
  expect(listeners()).toEqual([0, 0]);
});

test('limits the detached jobs of a key, and counts other keys separately', async () => {
  const { begin, jobs, shutdown } = opened({ detachedMax: 1 });
  begin('e1', { run: untilAborted });
  expect(() => begin('e2')).toThrow(
    expect.objectContaining({
      code: 'OVERLOADED',
      message: expect.stringMatching(/^the key ada has 1 asynchronous calls, the maximum/),
    }),
  );
  begin('e3', { actor: 'bob', run: untilAborted });
  begin('e4', { lifetime: waited, run: untilAborted });
  begin('e5', { lifetime: { kind: 'watchers' }, run: untilAborted });
  shutdown.abort(new Error('over'));
  await jobs.settled();
  await begin('e6').ended();
});

test('stores events of a job that its client waits for from its first reader on', async () => {
  const { begin } = opened();
  const end = Promise.withResolvers<void>();
  let starts = 0;
  const job = begin('e1', {
    lifetime: waited,
    run: async (_, emit) => {
      emit?.whenRead?.(() => {
        starts += 1;
        emit('log', { text: 'held' });
      });
      emit?.('log', { text: 'before' });
      await end.promise;
      return resultOf('1');
    },
  });
  expect([job.eventsAfter(0).events, starts]).toEqual([[], 0]);
  for (let reader = 0; reader < 2; reader += 1) job.subscribe(() => undefined);
  end.resolve();
  await job.ended();
  expect([starts, job.eventsAfter(0).events.map(({ name }) => name)]).toEqual([1, ['log', 'result']]);
});

test('does not store a job with the lifetime client, because its client has the response', async () => {
  const { begin, jobs } = opened();
  const lifetime: Lifetime = waited;
  await begin('e1', { lifetime }).ended();
  await begin('e2').ended();
  expect([jobs.find('e1'), jobs.find('e2')?.executionId]).toEqual([undefined, 'e2']);
});

test('stores finished jobs for a limited time', async () => {
  const { begin, jobs, pass } = opened({ finished: { ...jobBounds.finished, forMs: 10 } });
  await begin('e1').ended();
  pass(9);
  await begin('e2').ended();
  expect(jobs.find('e1')).toBeDefined();
  pass(1);
  expect([jobs.find('e1'), jobs.find('e2')?.executionId]).toEqual([undefined, 'e2']);
});

test.each<[string, Partial<JobBounds['finished']>]>([
  ['a maximum number of jobs', { countMax: 3 }],
  ['a maximum number of bytes', { bytesMax: 30 }],
])('stores %s, and removes jobs of the key with the most bytes first', async (_, bound) => {
  const { begin, jobs } = opened({ finished: { ...jobBounds.finished, ...bound } });
  const run: JobTask = async () => resultOf('1234567890');
  await begin('other', { actor: 'bob', run }).ended();
  for (const id of ['e1', 'e2', 'e3', 'e4']) await begin(id, { run }).ended();
  expect(['other', 'e1', 'e2', 'e3', 'e4'].filter((id) => jobs.find(id))).toEqual(['other', 'e3', 'e4']);
});

test('stores the latest job even if it exceeds the limits by itself', async () => {
  const { begin, jobs } = opened({ finished: { ...jobBounds.finished, bytesMax: 5 } });
  await begin('e1', { run: async () => resultOf('1234567890') }).ended();
  expect(jobs.find('e1')).toBeDefined();
  await begin('e2').ended();
  expect([jobs.find('e1'), jobs.find('e2')?.executionId]).toEqual([undefined, 'e2']);
});
