// Threat model: T268, T392

import { describe, expect, test } from 'vitest';
import { executionQueue } from './execution-queue.ts';
import type { QueueSlot } from './queue-slots.ts';
import { sharedMemory } from './shared-memory.ts';

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

describe('calls that share memory', () => {
  /** A queue over a share of 8, with a clock that the test moves. A call is named by its key and its memory: `ada 3`. */
  function sharing(limits: Partial<Parameters<typeof executionQueue>[0]> = {}, share = 8) {
    const memory = sharedMemory(share);
    const clock = { now: 0 };
    const parts = { memory, now: () => clock.now };
    const many = { concurrency: 99, concurrencyPerSkill: 99, queue: 99 };
    const queue = executionQueue({ ...many, ...limits }, parts);
    const inside: string[] = [];
    const slots = new Map<string, QueueSlot>();
    const come = async (name: string, { skillId = 'counter', signal = never } = {}): Promise<void> => {
      const [actor = '', bytes] = name.split(' ');
      const slot = await queue.enter({ skillId, actor, memoryBytes: Number(bytes) }, signal);
      if (slot === undefined) return;
      inside.push(name);
      slots.set(name, slot);
    };
    const leave = async (name: string): Promise<void> => {
      slots.get(name)?.release();
      await settled();
    };
    return { memory, clock, come, leave, inside, load: () => queue.load() };
  }

  test('run while they fit together, and the others wait in the order of arrival', async () => {
    const { come, leave, inside, memory } = sharing();
    for (const name of ['a 4', 'b 4', 'c 4', 'd 4']) void come(name);
    await settled();
    expect(inside).toEqual(['a 4', 'b 4']);
    expect(memory.load()).toEqual({ share: 8, reserved: 8, idle: 0 });
    await leave('b 4');
    await leave('b 4');
    expect(inside).toEqual(['a 4', 'b 4', 'c 4']);
    await leave('a 4');
    await leave('c 4');
    await leave('d 4');
    expect(inside).toEqual(['a 4', 'b 4', 'c 4', 'd 4']);
    expect(memory.load().reserved).toBe(0);
  });

  test('pass a larger waiting call for up to 5 s, whether they wait or are new, and then leave the memory to it', async () => {
    const { come, leave, inside, clock } = sharing();
    void come('a 6');
    void come('b 8');
    void come('c 2');
    await settled();
    clock.now = 4999;
    await leave('c 2');
    void come('d 2');
    await settled();
    expect(inside).toEqual(['a 6', 'c 2', 'd 2']);
    clock.now = 5000;
    await leave('d 2');
    void come('e 2');
    await settled();
    await leave('a 6');
    expect(inside).toEqual(['a 6', 'c 2', 'd 2', 'b 8']);
    await leave('b 8');
    expect(inside.at(-1)).toBe('e 2');
  });

  test('are not held up by a larger one whose skill is at its limit', async () => {
    const { come, inside, clock } = sharing({ concurrencyPerSkill: 1 });
    void come('a 2');
    void come('b 7');
    clock.now = 9999;
    void come('c 2', { skillId: 'other' });
    await settled();
    expect(inside).toEqual(['a 2', 'c 2']);
  });

  test('cannot starve a larger one by keeping its skill busy', async () => {
    const { come, leave, inside, clock } = sharing({ concurrencyPerSkill: 2 });
    void come('a 4');
    void come('b 8');
    for (let second = 0; second < 5; second += 1) {
      void come(`c${second} 1`);
      await settled();
      clock.now += 1000;
      await leave(`c${second} 1`);
    }
    void come('late 1');
    await leave('a 4');
    expect(inside.slice(-2)).toEqual(['c4 1', 'b 8']);
  });

  test('let each of several large ones wait its turn, with 5 s for the others each time', async () => {
    const { come, leave, inside, clock } = sharing();
    for (const name of ['a 8', 'b 8', 'c 5', 'd 1']) void come(name);
    await settled();
    clock.now = 6000;
    await leave('a 8');
    expect(inside).toEqual(['a 8', 'b 8']);
    await leave('b 8');
    expect(inside).toEqual(['a 8', 'b 8', 'c 5', 'd 1']);
  });

  test('run again once a larger one stops waiting', async () => {
    const { come, inside, clock } = sharing();
    const impatient = new AbortController();
    void come('a 6');
    void come('b 8', { signal: impatient.signal });
    clock.now = 6000;
    void come('c 2');
    await settled();
    expect(inside).toEqual(['a 6']);
    impatient.abort();
    await settled();
    expect(inside).toEqual(['a 6', 'c 2']);
  });

  test('do not all wait while a larger call waits for other calls of its own key', async () => {
    const { come, leave, inside, clock } = sharing();
    void come('a 1');
    void come('a 8');
    clock.now = 5000;
    void come('a 1 later');
    void come('b 1');
    clock.now = 9999;
    void come('c 1');
    clock.now = 10_000;
    void come('d 1');
    await settled();
    expect(inside).toEqual(['a 1', 'b 1', 'c 1']);
    await leave('b 1');
    expect(inside).toEqual(['a 1', 'b 1', 'c 1']);
    await leave('c 1');
    expect(inside.at(-1)).toBe('d 1');
    await leave('a 1');
    await leave('d 1');
    expect(inside.at(-1)).toBe('a 8');
  });

  test('are refused beyond the share, also when it is lowered while they wait', async () => {
    const { come, memory, load, inside } = sharing();
    await expect(come('a 9')).rejects.toMatchObject({
      code: 'MEMORY_SHARE_EXCEEDED',
      message:
        'counter needs 9 of memory, and all runs together have 8; call it with less memory (limits.memoryBytes)',
    });
    void come('b 8');
    const waiting = come('c 8');
    memory.resize(7);
    await expect(waiting).rejects.toMatchObject({ code: 'MEMORY_SHARE_EXCEEDED' });
    expect(load()).toEqual({ running: 1, waiting: 0 });
    memory.resize(16);
    void come('d 8');
    await settled();
    expect(inside).toEqual(['b 8', 'd 8']);
  });

  test('wait for calls of an earlier queue over the same memory', async () => {
    const { memory, come, inside } = sharing();
    const before = executionQueue(
      { concurrency: 1, concurrencyPerSkill: 1, queue: 0 },
      { memory, now: () => 0 },
    );
    const slot = await before.enter({ skillId: 'old', actor: 'ada', memoryBytes: 6 }, never);
    void come('a 4');
    await settled();
    expect(inside).toEqual([]);
    slot?.release();
    await settled();
    expect(inside).toEqual(['a 4']);
  });

  test('that wait for memory fill the queue, whose refusal names the memory', async () => {
    const { come } = sharing({ queue: 1 });
    void come('a 8');
    void come('a 8');
    await expect(come('a 8')).rejects.toMatchObject({
      code: 'OVERLOADED',
      message:
        'queue full: 1 running, 1 waiting; retry in a moment, or raise limits.memoryShareBytes or limits.queue, because calls wait for memory',
    });
  });

  test('end with nothing reserved, whatever they do, and never exceed the share', async () => {
    const { come, leave, memory, load, inside, clock } = sharing({ concurrency: 7, queue: 30 }, 64);
    // Numbers that look random and are the same each time.
    let seed = 7;
    const next = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    const aborts: AbortController[] = [];
    let before = 0;
    for (let step = 0; step < 3000; step += 1) {
      clock.now += next(900);
      const aborting = new AbortController();
      if (next(3) > 0) {
        aborts.push(aborting);
        come(`k${next(4)} ${1 + next(70)} ${step}`, {
          skillId: `s${next(3)}`,
          signal: aborting.signal,
        }).catch(() => undefined);
      } else if (next(3) === 0) aborts[next(aborts.length)]?.abort();
      else await leave(inside[next(Math.max(1, inside.length))] ?? '');
      const { reserved, share } = memory.load();
      // Running calls keep their memory when the share is lowered.
      expect(reserved).toBeLessThanOrEqual(Math.max(share, before));
      before = reserved;
      if (step % 100 === 0) memory.resize(40 + next(40));
      if (step % 100 === 99) memory.resize(64);
    }
    for (let round = 0; round < 9000 && (load().running > 0 || load().waiting > 0); round += 1)
      await leave(inside[round % inside.length] ?? '');
    expect([load(), memory.load().reserved]).toEqual([{ running: 0, waiting: 0 }, 0]);
  });
});
