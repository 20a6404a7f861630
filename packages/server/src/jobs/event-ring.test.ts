// Threat model: T267

import { describe, expect, test } from 'vitest';
import { eventRing } from './event-ring.ts';
import { unreadMemory } from './unread-memory.ts';

const big = 'x'.repeat(100);
/** The memory of one event of `big`. */
const bytesOfOne = 264;
const none = unreadMemory({ totalMax: 0, eachMax: 0 });

test('drops the oldest events that do not fit, and returns how many were missed', () => {
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

describe('an event that a reader has not taken yet', () => {
  /** A ring that stores two events, and four more for readers that have not taken them; `add` adds this many. */
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

  test('is stored beyond the first limit, up to the second, and is dropped once taken', () => {
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

  test('is dropped when the reader ends', () => {
    const { add, stop, kept, memory } = reading(0);
    add(6);
    stop();
    expect([kept(), memory.bytes()]).toEqual([[5, 6], 0]);
  });

  test('is stored until the slowest reader takes it', () => {
    const { add, ring, reader, kept } = reading(0);
    const stop = ring.read(() => 5);
    add(6);
    expect(kept()).toEqual([1, 2, 3, 4, 5, 6]);
    reader.taken = 6;
    expect(kept()).toEqual([5, 6]);
    stop();
  });

  test('is stored only while shared memory lasts, and again after another job returns some', () => {
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

test('drops an event larger than the ring, and counts it as missed', () => {
  const ring = eventRing(bytesOfOne, none);
  ring.add('stdout', big.repeat(10));
  expect([ring.after(0), ring.bytes()]).toEqual([{ missed: 1, events: [] }, 0]);
  ring.add('stdout', big);
  expect(ring.after(0)).toEqual({ missed: 1, events: [{ id: 2, name: 'stdout', data: big }] });
});
