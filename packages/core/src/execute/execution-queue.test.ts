import { expect, test } from 'vitest';
import { executionQueue, type QueueSlot } from './execution-queue.ts';

const never = new AbortController().signal;

/** Calls by name, and who has been let in and sent away so far. */
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
  /** Calls of a key, named by their numbers; who is refused is sent away. */
  const come = (actor: string, count: number): void => {
    for (let number = 1; number <= count; number += 1) {
      const name = `${actor} ${number}`;
      enter(name, 'counter', never, actor).catch(() => sentAway.push(name));
    }
  };
  return { enter, come, inside, sentAway, leave: (name: string) => places.get(name)?.release() };
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

test('one key alone has all places there are to wait in', async () => {
  const { come, sentAway } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 4 });
  come('ada', 6);
  await settled();
  expect(sentAway).toEqual(['ada 6']);
});

test('where one key has taken all places, the calls of others come in until each key has as many, and its latest go', async () => {
  const { come, sentAway, inside, leave } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 4 });
  come('ada', 5);
  come('bob', 3);
  await settled();
  expect(sentAway.splice(0).sort()).toEqual(['ada 4', 'ada 5', 'bob 3']);
  come('cid', 2);
  await settled();
  // Of two keys that have as many, one gives a place to a third; where each has its share, nobody goes any more.
  expect(sentAway.sort()).toEqual(['ada 3', 'cid 2']);
  for (const name of ['ada 1', 'ada 2', 'bob 1', 'bob 2']) {
    leave(name);
    await settled();
  }
  expect(inside).toEqual(['ada 1', 'ada 2', 'bob 1', 'bob 2', 'cid 1']);
});

test('a call that has to go for that of another key is told why, and the key that took all gets no more', async () => {
  const { enter, come, sentAway } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 2 });
  come('ada', 2);
  const last = enter('last', 'counter', never, 'ada');
  void enter('other', 'counter', never, 'bob');
  await expect(last).rejects.toMatchObject({
    code: 'OVERLOADED',
    message:
      'the 2 places in which calls wait were taken, more of them by the key ada than by any other, and a call of another got that of this one; try again in a moment, or raise limits.concurrency or limits.queue',
  });
  come('ada', 1);
  await settled();
  expect(sentAway).toEqual(['ada 1']);
});

test('more keys than there are places come as they come: nobody goes for another who would have no more', async () => {
  const { come, sentAway } = visitors({ concurrency: 1, concurrencyPerSkill: 1, queue: 2 });
  come('ada', 2);
  come('bob', 1);
  come('cid', 1);
  await settled();
  expect(sentAway).toEqual(['cid 1']);
});
