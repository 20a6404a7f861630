import { expect, test } from 'vitest';
import { plainConfig } from '../testing/plain-config.ts';
import { parts } from './parts.ts';

interface Given {
  seen: string[];
}

const names = (before: object): string => Object.keys(before).join(' ');

test('opens parts in order, each with those before it, and closes the last one first', async () => {
  const seen: string[] = [];
  const { opened, close } = await parts<Given>()
    .add({
      name: 'first',
      open: async (before) => before.seen.push(`open first after ${names(before)}`),
      close: (value) => seen.push(`close first ${value}`),
    })
    .add({ name: 'second', open: ({ first }) => ({ later: Promise.resolve(first + 1) }) })
    .add({
      name: 'third',
      open: async (before) =>
        before.seen.push(`open third after ${names(before)}`) + (await before.second.later),
      close: (value, { first }) => seen.push(`close third ${value} before ${first}`),
    })
    .open({ seen });
  expect(opened.third).toBe(4);
  await close();
  expect(seen).toEqual([
    'open first after seen',
    'open third after seen first second',
    'close third 4 before 1',
    'close first 1',
  ]);
});

test('closes the open parts if the next does not open, and rejects with its error', async () => {
  const seen: string[] = [];
  const opening = parts<Given>()
    .add({ name: 'first', open: () => 1, close: () => seen.push('close first') })
    .add({
      name: 'second',
      open: () => Promise.reject(new Error('no address')),
      close: () => seen.push('close second'),
    })
    .add({ name: 'third', open: () => seen.push('open third') })
    .open({ seen });
  await expect(opening).rejects.toThrow('no address');
  expect(seen).toEqual(['close first']);
});

test('prepares the open parts for a configuration, and applies it to all of them or to none', async () => {
  const seen: string[] = [];
  const prepared = (name: string) => async () => {
    seen.push(`prepare ${name}`);
    return () => void seen.push(`apply ${name}`);
  };
  const { opened } = await parts<Given>()
    .add({ name: 'first', open: () => 1, prepare: prepared('first') })
    .add({
      name: 'live',
      async open(_, { prepare }) {
        (await prepare(plainConfig))();
        return prepare;
      },
    })
    .add({
      name: 'third',
      open: () => 3,
      async prepare(_value, { file }) {
        if (file !== undefined) throw new Error('unusable');
        return prepared('third')();
      },
    })
    .open({ seen });
  expect(seen.splice(0)).toEqual(['prepare first', 'apply first']);
  (await opened.live(plainConfig))();
  expect(seen.splice(0)).toEqual(['prepare first', 'prepare third', 'apply first', 'apply third']);
  await expect(opened.live({ ...plainConfig, file: '/ambit.config.yaml' })).rejects.toThrow('unusable');
  expect(seen).toEqual(['prepare first']);
});
