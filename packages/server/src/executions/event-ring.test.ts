import { expect, test } from 'vitest';
import { eventRing } from './event-ring.ts';

const big = 'x'.repeat(100);
/** What one event of `big` takes. */
const bytesOfOne = 264;

test('an empty ring has nothing, after whatever id', () => {
  const ring = eventRing(1000);
  expect([0, 1, 99].map((id) => ring.after(id))).toEqual(Array(3).fill({ missed: 0, events: [] }));
  expect(ring.lastId()).toBe(0);
});

test('events are numbered from 1, and whoever has had some gets those after it', () => {
  const ring = eventRing(10_000);
  for (const data of ['1', '2', '3']) ring.add('stdout', data);
  const all = [1, 2, 3].map((id) => ({ id, name: 'stdout', data: String(id) }));
  expect([0, 1, 2, 3, 4].map((id) => ring.after(id))).toEqual(
    [all, all.slice(1), all.slice(2), [], []].map((events) => ({ missed: 0, events })),
  );
});

test('what does not fit falls out at the front, and how much is told to whoever has not had it', () => {
  const ring = eventRing(3 * bytesOfOne);
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

test('an event that is larger than the ring falls out by itself, and is told as missed', () => {
  const ring = eventRing(bytesOfOne);
  ring.add('stdout', big.repeat(10));
  expect([ring.after(0), ring.bytes()]).toEqual([{ missed: 1, events: [] }, 0]);
  ring.add('stdout', big);
  expect(ring.after(0)).toEqual({ missed: 1, events: [{ id: 2, name: 'stdout', data: big }] });
});
