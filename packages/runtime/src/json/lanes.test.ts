// Threat model: T281

import { expect, test } from 'vitest';
import { lanes } from './lanes.ts';

test('alternates small and large pieces of work, one at a time and in order', async () => {
  const { enter, empty } = lanes();
  const done: string[] = [];
  let underWay = 0;
  const work = (name: string) => async () => {
    underWay += 1;
    await new Promise(setImmediate);
    done.push(`${name} ${underWay}`);
    underWay -= 1;
    return name;
  };
  const all = [
    enter('large', work('l1')),
    enter('large', work('l2')),
    enter('large', work('l3')),
    enter('small', work('s1')),
    enter('small', work('s2')),
  ];
  await empty();
  expect(done).toEqual(['l1 1', 's1 1', 'l2 1', 's2 1', 'l3 1']);
  expect(await Promise.all(all)).toEqual(['l1', 'l2', 'l3', 's1', 's2']);
});

test('continues after a piece of work that fails', async () => {
  const { enter, empty } = lanes();
  const failed = enter('small', () => Promise.reject(new Error('no')));
  const fine = enter('small', async () => 'yes');
  await expect(failed).rejects.toThrow('no');
  expect(await fine).toBe('yes');
  await empty();
  expect(await enter('large', async () => 'again')).toBe('again');
});
