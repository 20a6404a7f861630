// Threat model: T268

import { expect, test } from 'vitest';
import { executionQueue, type QueueSlot } from './execution-queue.ts';

const never = new AbortController().signal;

/** A queue, and the names of admitted and refused calls so far. */
function visitors(limits: { concurrency: number; concurrencyPerSkill: number; queue: number }) {
  const queue = executionQueue(limits);
  const [inside, sentAway]: [string[], string[]] = [[], []];
  const places = new Map<string, QueueSlot>();
  const enter = async (name: string, skillId = name, signal = never, actor = 'ada'): Promise<void> => {
    const place = await queue.enter({ skillId, actor }, signal);
    if (place === undefined) return;
    inside.push(name);
    places.set(name, place);
  };
  /** Enters numbered calls of a key, and collects the refused ones. */
  const come = (actor: string, count: number): void => {
    for (let number = 1; number <= count; number += 1) {
      const name = `${actor} ${number}`;
      enter(name, 'counter', never, actor).catch(() => sentAway.push(name));
    }
  };
  return { enter, come, inside, sentAway, leave: (name: string) => places.get(name)?.release() };
}

/** Waits until all pending callbacks have run. */
const settled = (): Promise<void> => new Promise(setImmediate);

test('runs calls up to the limit, and the waiting ones in the order of arrival', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 2, concurrencyPerSkill: 2, queue: 9 });
  for (const name of ['a', 'b', 'c', 'd']) void enter(name);
  await settled();
  expect(inside).toEqual(['a', 'b']);
  leave('b');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c']);
  leave('a');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
});

test('does not delay other skills behind a skill at its limit', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 3, concurrencyPerSkill: 1, queue: 9 });
  void enter('slow 1', 'slow');
  void enter('slow 2', 'slow');
  void enter('other');
  await settled();
  expect(inside).toEqual(['slow 1', 'other']);
  leave('slow 1');
  await settled();
  expect(inside).toEqual(['slow 1', 'other', 'slow 2']);
});

test('refuses a call if the queue is full, and admits it once the queue has space', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 1 });
  void enter('a');
  void enter('b');
  await expect(enter('c')).rejects.toMatchObject({
    code: 'OVERLOADED',
    message:
      'queue full: 1 running, 1 waiting; retry in a moment, or raise limits.concurrency or limits.queue',
  });
  leave('a');
  void enter('c');
  leave('b');
  await settled();
  leave('b');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c']);
});

test('removes a call from the queue when it stops waiting', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 1 });
  const impatient = new AbortController();
  void enter('a');
  const waiting = enter('b', 'b', impatient.signal);
  impatient.abort();
  await waiting;
  void enter('c');
  leave('a');
  await settled();
  expect(inside).toEqual(['a', 'c']);
});

test('gives no slot to a call that was aborted before it arrived', async () => {
  const { enter, inside } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 0 });
  await enter('a', 'a', AbortSignal.abort());
  await enter('b');
  expect(inside).toEqual(['b']);
});

test('counts a slot once that is released twice', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 9 });
  for (const name of ['a', 'b', 'c']) void enter(name);
  leave('a');
  await settled();
  leave('a');
  leave('a');
  await settled();
  expect(inside).toEqual(['a', 'b']);
});

test('lets a single key fill the whole queue', async () => {
  const { come, sentAway } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 4 });
  come('ada', 6);
  await settled();
  expect(sentAway).toEqual(['ada 6']);
});

test('displaces the latest calls of a key that fills the queue until each key has as many', async () => {
  const { come, sentAway, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 4 });
  come('ada', 5);
  come('bob', 3);
  await settled();
  expect(sentAway.splice(0).sort()).toEqual(['ada 4', 'ada 5', 'bob 3']);
  come('cid', 2);
  await settled();
  // One of two equal keys gives a place to a third. With equal shares, no call is displaced.
  expect(sentAway.sort()).toEqual(['ada 3', 'cid 2']);
  for (const name of ['ada 1', 'ada 2', 'bob 1', 'bob 2']) {
    leave(name);
    await settled();
  }
  expect(inside).toEqual(['ada 1', 'ada 2', 'bob 1', 'bob 2', 'cid 1']);
});

test('tells a displaced call why, and admits no more calls of its key', async () => {
  const { enter, come, sentAway } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 2 });
  come('ada', 2);
  const last = enter('last', 'counter', never, 'ada');
  void enter('other', 'counter', never, 'bob');
  await expect(last).rejects.toMatchObject({
    code: 'OVERLOADED',
    message:
      "queue full: 2 waiting, more from key ada than from any other; its latest call gave way to another key's call; retry in a moment, or raise limits.concurrency or limits.queue",
  });
  come('ada', 1);
  await settled();
  expect(sentAway).toEqual(['ada 1']);
});

test('displaces no call for a key that would then have as many', async () => {
  const { come, sentAway } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 2 });
  come('ada', 2);
  come('bob', 1);
  come('cid', 1);
  await settled();
  expect(sentAway).toEqual(['cid 1']);
});
