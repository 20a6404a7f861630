import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError, stateBounds } from '@ambit/core/internal';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../testing/skill-on-disk.ts';
import { folderState } from './folder-state.ts';

test('what a skill keeps is there for it, after a restart too, and for no other', async () => {
  const folder = join(await temporaryFolder(), 'state');
  const state = folderState(folder);
  await state.set('counter', 'n', { count: 1, list: ['ü', null] });
  const again = folderState(folder);
  expect(await again.get('counter', 'n')).toEqual({ count: 1, list: ['ü', null] });
  expect(await again.get('counter', 'other')).toBe(null);
  expect(await again.get('other', 'n')).toBe(null);
});

test('names that mean something to JavaScript are keys like any other', async () => {
  const folder = await temporaryFolder();
  await folderState(folder).set('skill', '__proto__', 1);
  await folderState(folder).set('skill', 'constructor', 2);
  const state = folderState(folder);
  expect([await state.get('skill', '__proto__'), await state.get('skill', 'toString')]).toEqual([1, null]);
});

test('null takes a value away, and the file holds what is left and is closed to others', async () => {
  const folder = await temporaryFolder();
  const state = folderState(folder);
  await state.set('skill', 'a', 1);
  await state.set('skill', 'b', 'x');
  await state.set('skill', 'a', null);
  expect(await readdir(folder)).toEqual(['skill.json']);
  expect(JSON.parse(await readFile(join(folder, 'skill.json'), 'utf8'))).toEqual({ b: 'x' });
  expect((await stat(join(folder, 'skill.json'))).mode & 0o777).toBe(0o600);
});

test('a pipe in the place of a store is an error, and is not waited for', async () => {
  const folder = await temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'skill.json')]);
  await expect(folderState(folder).get('skill', 'a')).rejects.toThrow('it is a pipe');
});

test('values that are set at once are all kept', async () => {
  const folder = await temporaryFolder();
  const state = folderState(folder);
  const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key) => state.set('skill', key, key)));
  const again = folderState(folder);
  expect(await Promise.all(keys.map((key) => again.get('skill', key)))).toEqual(keys);
});

test('a change of several keys is one step, and leaves every other key alone', async () => {
  const folder = await temporaryFolder();
  const state = folderState(folder);
  await state.change(
    'skill',
    new Map([
      ['a', '1'],
      ['b', '[2]'],
      ['__proto__', '"own"'],
    ]),
  );
  await Promise.all([
    state.change(
      'skill',
      new Map([
        ['a', null],
        ['c', '3'],
      ]),
    ),
    state.set('skill', 'd', { deep: [4] }),
  ]);
  const kept = new Map([
    ['b', '[2]'],
    ['__proto__', '"own"'],
    ['c', '3'],
    ['d', '{"deep":[4]}'],
  ]);
  expect(await state.all('skill')).toEqual(kept);
  expect(await folderState(folder).all('skill')).toEqual(kept);
});

test('of a change that the store refuses, no key is changed', async () => {
  const folder = await temporaryFolder();
  const state = folderState(folder);
  await state.change(
    'skill',
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  );
  const tooLong = 'k'.repeat(stateBounds.keyCharacters + 1);
  await expect(
    state.change(
      'skill',
      new Map([
        ['a', '9'],
        ['b', null],
        [tooLong, '1'],
      ]),
    ),
  ).rejects.toThrow(new StateError('a key has at most 256 characters'));
  expect(await state.all('skill')).toEqual(
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  );
  expect(await folderState(folder).all('skill')).toEqual(
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  );
});

test('a store beyond its limits can still be emptied', async () => {
  const folder = await temporaryFolder();
  const over = Object.fromEntries(
    Array.from({ length: stateBounds.keys + 2 }, (_, index) => [`k${index}`, 1]),
  );
  await writeFile(join(folder, 'skill.json'), JSON.stringify(over));
  const state = folderState(folder);
  await expect(
    state.change(
      'skill',
      new Map([
        ['k0', null],
        ['k1', '2'],
      ]),
    ),
  ).rejects.toThrow(StateError);
  await state.change('skill', new Map([['k0', null]]));
  expect((await state.all('skill')).size).toBe(stateBounds.keys + 1);
});

describe('a store takes so much and no more', () => {
  const { keyCharacters, valueBytes, keys, bytes } = stateBounds;

  test('of a key and of a value', async () => {
    const state = folderState(await temporaryFolder());
    await state.set('skill', 'k'.repeat(keyCharacters), 'v'.repeat(valueBytes - 2));
    await expect(state.set('skill', 'k'.repeat(keyCharacters + 1), 1)).rejects.toThrow(
      new StateError('a key has at most 256 characters'),
    );
    await expect(state.set('skill', 'k', 'v'.repeat(valueBytes - 1))).rejects.toThrow(
      new StateError('a value has at most 65536 bytes'),
    );
    expect(await state.get('skill', 'k')).toBe(null);
  });

  test('of keys', async () => {
    const folder = await temporaryFolder();
    const full = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1]));
    await writeFile(join(folder, 'skill.json'), JSON.stringify(full));
    const state = folderState(folder);
    await state.set('skill', 'k0', 2);
    await expect(state.set('skill', 'more', 1)).rejects.toThrow(
      new StateError('a skill keeps at most 1000 keys'),
    );
  });

  test('of all together', async () => {
    const state = folderState(await temporaryFolder());
    const value = 'v'.repeat(valueBytes - 2);
    const fits = Math.floor(bytes / (valueBytes + 2));
    for (let index = 0; index < fits; index++) await state.set('skill', `k${index % 10}${index}`, value);
    await expect(state.set('skill', 'more', value)).rejects.toThrow(
      new StateError('a skill keeps at most 1048576 bytes'),
    );
  });
});

test('a file that cannot be read is an error and not an empty store', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'skill.json'), 'not JSON');
  await expect(folderState(folder).get('skill', 'k')).rejects.toThrow(SyntaxError);
});
