import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError, stateBounds } from '@ambit/core/internal';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../testing/skill-on-disk.ts';
import { folderState } from './folder-state.ts';

test("stores a skill's values for that skill only, also after a restart", async () => {
  const folder = join(await temporaryFolder(), 'state');
  const state = folderState(folder);
  await state.set('counter', 'n', { count: 1, list: ['ü', null] });
  const again = folderState(folder);
  expect(await again.get('counter', 'n')).toEqual({ count: 1, list: ['ü', null] });
  expect(await again.get('counter', 'other')).toBe(null);
  expect(await again.get('other', 'n')).toBe(null);
});

test('accepts names with a meaning in JavaScript as keys', async () => {
  const folder = await temporaryFolder();
  await folderState(folder).set('skill', '__proto__', 1);
  await folderState(folder).set('skill', 'constructor', 2);
  const state = folderState(folder);
  expect([await state.get('skill', '__proto__'), await state.get('skill', 'toString')]).toEqual([1, null]);
});

test('removes a value set to null, and closes the file to other users', async () => {
  const folder = await temporaryFolder();
  const state = folderState(folder);
  await state.set('skill', 'a', 1);
  await state.set('skill', 'b', 'x');
  await state.set('skill', 'a', null);
  expect(await readdir(folder)).toEqual(['skill.json']);
  expect(JSON.parse(await readFile(join(folder, 'skill.json'), 'utf8'))).toEqual({ b: 'x' });
  expect((await stat(join(folder, 'skill.json'))).mode & 0o777).toBe(0o600);
});

test('reports a pipe in place of a store without waiting for it', async () => {
  const folder = await temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'skill.json')]);
  await expect(folderState(folder).get('skill', 'a')).rejects.toThrow('it is a pipe');
});

test('stores all values that are set concurrently', async () => {
  const folder = await temporaryFolder();
  const state = folderState(folder);
  const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key) => state.set('skill', key, key)));
  const again = folderState(folder);
  expect(await Promise.all(keys.map((key) => again.get('skill', key)))).toEqual(keys);
});

test('changes several keys in one step and leaves every other key unchanged', async () => {
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
  const stored = new Map([
    ['b', '[2]'],
    ['__proto__', '"own"'],
    ['c', '3'],
    ['d', '{"deep":[4]}'],
  ]);
  expect(await state.all('skill')).toEqual(stored);
  expect(await folderState(folder).all('skill')).toEqual(stored);
});

test('changes no key if the store refuses one of them', async () => {
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
  ).rejects.toThrow(new StateError('a key may have at most 256 characters'));
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

test('can empty a store that exceeds its limits', async () => {
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

describe('the limits of a store', () => {
  const { keyCharacters, valueBytes, keys, bytes } = stateBounds;

  test('limits the length of a key and a value', async () => {
    const state = folderState(await temporaryFolder());
    await state.set('skill', 'k'.repeat(keyCharacters), 'v'.repeat(valueBytes - 2));
    await expect(state.set('skill', 'k'.repeat(keyCharacters + 1), 1)).rejects.toThrow(
      new StateError('a key may have at most 256 characters'),
    );
    await expect(state.set('skill', 'k', 'v'.repeat(valueBytes - 1))).rejects.toThrow(
      new StateError('a value may have at most 65536 bytes'),
    );
    expect(await state.get('skill', 'k')).toBe(null);
  });

  test('limits the number of keys', async () => {
    const folder = await temporaryFolder();
    const full = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1]));
    await writeFile(join(folder, 'skill.json'), JSON.stringify(full));
    const state = folderState(folder);
    await state.set('skill', 'k0', 2);
    await expect(state.set('skill', 'more', 1)).rejects.toThrow(
      new StateError('a skill may store at most 1000 keys'),
    );
  });

  test('limits the total size', async () => {
    const state = folderState(await temporaryFolder());
    const value = 'v'.repeat(valueBytes - 2);
    const fits = Math.floor(bytes / (valueBytes + 2));
    for (let index = 0; index < fits; index++) await state.set('skill', `k${index % 10}${index}`, value);
    await expect(state.set('skill', 'more', value)).rejects.toThrow(
      new StateError('a skill may store at most 1048576 bytes'),
    );
  });
});

test('reports an unreadable file instead of treating the store as empty', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'skill.json'), 'not JSON');
  await expect(folderState(folder).get('skill', 'k')).rejects.toThrow(SyntaxError);
});
