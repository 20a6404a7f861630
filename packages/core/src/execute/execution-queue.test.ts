import { expect, test } from 'vitest';
import { executionQueue, type Place } from './execution-queue.ts';

const never = new AbortController().signal;

/** Calls by name, and who has been let in so far. */
function visitors(limits: { concurrency: number; concurrencyPerSkill: number; queue: number }) {
  const queue = executionQueue(limits);
  const inside: string[] = [];
  const places = new Map<string, Place>();
  const enter = async (name: string, skillId = name, signal = never): Promise<void> => {
    const place = await queue.enter(skillId, signal);
    if (place === undefined) return;
    inside.push(name);
    places.set(name, place);
  };
  return { enter, inside, leave: (name: string) => places.get(name)?.leave() };
}

/** Lets everything that is ready happen. */
const settled = (): Promise<void> => new Promise(setImmediate);

test('as many run as may, and those who wait follow in the order in which they came', async () => {
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

test('a skill at its own limit holds up nobody else', async () => {
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

test('one more than may wait is refused, and the same call is let in when there is room again', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 1 });
  void enter('a');
  void enter('b');
  await expect(enter('c')).rejects.toMatchObject({
    code: 'OVERLOADED',
    message:
      '1 calls run and 1 wait, which is all that may; try again in a moment, or raise limits.concurrency or limits.queue',
  });
  leave('a');
  void enter('c');
  leave('b');
  await settled();
  leave('b');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c']);
});

test('whoever stops waiting gives up the place in the queue', async () => {
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

test('whoever has stopped before it came takes no place', async () => {
  const { enter, inside } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 0 });
  await enter('a', 'a', AbortSignal.abort());
  await enter('b');
  expect(inside).toEqual(['b']);
});

test('a place that is given back twice counts once', async () => {
  const { enter, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 9 });
  for (const name of ['a', 'b', 'c']) void enter(name);
  leave('a');
  await settled();
  leave('a');
  leave('a');
  await settled();
  expect(inside).toEqual(['a', 'b']);
});
