import { describe, expect, test } from 'vitest';
import { eventRing } from './event-ring.ts';
import { unreadMemory } from './unread-memory.ts';

const big = 'x'.repeat(100);
/** What one event of `big` takes. */
const bytesOfOne = 264;
const none = unreadMemory({ totalMax: 0, eachMax: 0 });

test('an empty ring has nothing, after whatever id', () => {
  const ring = eventRing(1000, none);
  expect([0, 1, 99].map((id) => ring.after(id))).toEqual(Array(3).fill({ missed: 0, events: [] }));
  expect(ring.lastId()).toBe(0);
});

test('events are numbered from 1, and whoever has had some gets those after it', () => {
  const ring = eventRing(10_000, none);
  for (const data of ['1', '2', '3']) ring.add('stdout', data);
  const all = [1, 2, 3].map((id) => ({ id, name: 'stdout', data: String(id) }));
  expect([0, 1, 2, 3, 4].map((id) => ring.after(id))).toEqual(
    [all, all.slice(1), all.slice(2), [], []].map((events) => ({ missed: 0, events })),
  );
});

test('what does not fit falls out at the front, and how much is told to whoever has not had it', () => {
  const ring = eventRing(3 * bytesOfOne, none);
  for (let count = 0; count < 1000; count += 1) ring.add('log', big);
  const told = (id: number) => {
    const { missed, events } = ring.after(id);
    return [missed, events.map((event) => event.id)];
  };
  expect([0, 500, 997, 998, 1000].map(told)).toEqual([
    [997, [998, 999, 1000]],
    [497, [998, 999, 1000]],
    [0, [998, 999, 1000]],
    [0, [999, 1000]],
    [0, []],
  ]);
  expect(ring.bytes()).toBe(3 * bytesOfOne);
});

describe('what a reader has not taken yet', () => {
  /** A ring that keeps two events for everybody, and four more for who has not taken them; `add` adds so many. */
  function reading(taken: number, most = 4 * bytesOfOne) {
    const memory = unreadMemory({ totalMax: most, eachMax: 4 * bytesOfOne });
    const ring = eventRing(2 * bytesOfOne, memory);
    const reader = { taken };
    const stop = ring.read(() => reader.taken);
    const add = (count: number): void => {
      for (let left = count; left > 0; left -= 1) ring.add('log', big);
    };
    const kept = () => ring.after(0).events.map(({ id }) => id);
    return { ring, memory, reader, stop, add, kept };
  }

  test('is kept for it beyond the bound, up to another, and goes when it was taken', () => {
    const { add, reader, kept, ring, memory } = reading(0);
    add(6);
    expect([kept(), ring.bytes(), memory.bytes()]).toEqual([
      [1, 2, 3, 4, 5, 6],
      6 * bytesOfOne,
      4 * bytesOfOne,
    ]);
    reader.taken = 3;
    expect(kept()).toEqual([4, 5, 6]);
    add(4);
    expect(kept()).toEqual([5, 6, 7, 8, 9, 10]);
    reader.taken = 10;
    expect([kept(), memory.bytes()]).toEqual([[9, 10], 0]);
  });

  test('goes when the reader goes', () => {
    const { add, stop, kept, memory } = reading(0);
    add(6);
    stop();
    expect([kept(), memory.bytes()]).toEqual([[5, 6], 0]);
  });

  test('is what the slowest of several has not', () => {
    const { add, ring, reader, kept } = reading(0);
    const stop = ring.read(() => 5);
    add(6);
    expect(kept()).toEqual([1, 2, 3, 4, 5, 6]);
    reader.taken = 6;
    expect(kept()).toEqual([5, 6]);
    stop();
  });

  test('is kept only as far as there is memory for all, and again when another has given some back', () => {
    const one = reading(0, 5 * bytesOfOne);
    one.add(6);
    const other = eventRing(2 * bytesOfOne, one.memory);
    other.read(() => 0);
    for (let count = 0; count < 6; count += 1) other.add('log', big);
    expect(other.after(0)).toMatchObject({ missed: 3, events: [{ id: 4 }, { id: 5 }, { id: 6 }] });
    one.stop();
    other.add('log', big);
    expect(other.after(0)).toMatchObject({ missed: 3, events: [{ id: 4 }, { id: 5 }, { id: 6 }, { id: 7 }] });
  });
});

test('an event that is larger than the ring falls out by itself, and is told as missed', () => {
  const ring = eventRing(bytesOfOne, none);
  ring.add('stdout', big.repeat(10));
  expect([ring.after(0), ring.bytes()]).toEqual([{ missed: 1, events: [] }, 0]);
  ring.add('stdout', big);
  expect(ring.after(0)).toEqual({ missed: 1, events: [{ id: 2, name: 'stdout', data: big }] });
});
