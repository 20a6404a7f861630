import { describe, expect, test } from 'vitest';
import { StateError, stateBounds } from '../../../packages/core/src/execute.ts';
import { skillState } from '../../../packages/server/src/index.ts';
import { databases, emptyStore } from '../../../packages/server/src/store/testing/databases.ts';

describe.each(databases)('the state of skills in $name', (database) => {
  test("stores a skill's values for that skill only, also after a restart", async () => {
    const { open } = await database.create();
    const first = await open();
    await skillState(first).set('counter', 'n', { count: 1, list: ['ü', null] });
    await first.close();
    const again = skillState(await open());
    expect(await again.get('counter', 'n')).toEqual({ count: 1, list: ['ü', null] });
    expect(await again.get('counter', 'other')).toBe(null);
    expect(await again.get('other', 'n')).toBe(null);
  });

  test('stores any text as a key and in a value', async () => {
    const state = skillState(await emptyStore(database));
    const texts = [
      '__proto__',
      'constructor',
      '',
      'a',
      'A',
      'ü',
      'u\u0308',
      '\0',
      'a\0b',
      '\ud800',
      '\udc00\ud800',
    ];
    for (const key of texts) await state.set('skill', key, { of: key });
    for (const key of texts) expect(await state.get('skill', key)).toEqual({ of: key });
    expect((await state.all('skill')).size).toBe(texts.length);
    expect(await state.get('skill', 'toString')).toBe(null);
    for (const key of texts) await state.set('skill', key, null);
    expect(await state.all('skill')).toEqual(new Map());
  });

  test('removes a value set to null, and changes several keys in one step', async () => {
    const { open } = await database.create();
    const state = skillState(await open());
    await state.change('skill', new Map([...entries({ a: 1, b: [2] }), ['__proto__', '"own"']]));
    await Promise.all([
      state.change('skill', new Map<string, string | null>([...entries({ c: 3 }), ['a', null]])),
      state.set('skill', 'd', { deep: [4] }),
    ]);
    const stored = new Map([...entries({ b: [2], c: 3, d: { deep: [4] } }), ['__proto__', '"own"']]);
    expect(await state.all('skill')).toEqual(stored);
    expect(await skillState(await open()).all('skill')).toEqual(stored);
  });

  test('stores all values that are set at the same time, in two stores', async () => {
    const { open } = await database.create();
    const states = [skillState(await open()), skillState(await open())];
    const keys = Array.from({ length: 100 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key, index) => states[index % 2]?.set('skill', key, key)));
    const expected = new Map(keys.map((key) => [key, JSON.stringify(key)]));
    expect(await skillState(await open()).all('skill')).toEqual(expected);
  });

  test('changes nothing if one of the changes is refused', async () => {
    const state = skillState(await emptyStore(database));
    await state.change('skill', entries({ a: 1, b: 2 }));
    const tooLong = 'k'.repeat(stateBounds.keyCharacters + 1);
    const refused = new Map([...entries({ a: 9, [tooLong]: 1 }), ['b', null]] as [string, string | null][]);
    await expect(state.change('skill', refused)).rejects.toThrow(
      new StateError('a key may have at most 256 characters'),
    );
    expect(await state.all('skill')).toEqual(entries({ a: 1, b: 2 }));
  });

  describe('limits', () => {
    const { keyCharacters, valueBytes, keys, bytes } = stateBounds;
    const numbered = (count: number, value: unknown) =>
      entries(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value])));

    test('the length of a key and a value', async () => {
      const state = skillState(await emptyStore(database));
      await state.set('skill', 'k'.repeat(keyCharacters), 'v'.repeat(valueBytes - 2));
      await expect(state.set('skill', 'k'.repeat(keyCharacters + 1), 1)).rejects.toThrow(
        new StateError('a key may have at most 256 characters'),
      );
      await expect(state.set('skill', 'k', 'v'.repeat(valueBytes - 1))).rejects.toThrow(
        new StateError('a value may have at most 65536 bytes'),
      );
      expect(await state.get('skill', 'k')).toBe(null);
    });

    test('the number of keys of each skill', async () => {
      const state = skillState(await emptyStore(database));
      await state.change('skill', numbered(keys, 1));
      await state.set('skill', 'k0', 2);
      const refusal = new StateError('a skill may store at most 1000 keys');
      await expect(state.set('skill', 'more', 1)).rejects.toThrow(refusal);
      await expect(
        state.change(
          'skill',
          new Map([...entries({ more: 1, again: 1 }), ['k0', null]] as [string, string | null][]),
        ),
      ).rejects.toThrow(refusal);
      await state.change(
        'skill',
        new Map([...entries({ more: 1 }), ['k0', null]] as [string, string | null][]),
      );
      await state.set('other', 'more', 1);
      expect([(await state.all('skill')).size, (await state.all('other')).size]).toEqual([keys, 1]);
    });

    test('the total size, which removing and shortening values reduces', async () => {
      const state = skillState(await emptyStore(database));
      const value = 'ü'.repeat((valueBytes - 2) / 2);
      const fits = Math.floor(bytes / (valueBytes + 3));
      const names = Array.from({ length: fits }, (_, index) => `k${10 + index}`);
      for (const name of names) await state.set('skill', name, value);
      const refusal = new StateError('a skill may store at most 1048576 bytes');
      await expect(state.set('skill', 'k99', value)).rejects.toThrow(refusal);
      await state.set('skill', 'k10', 'short');
      await state.set('skill', 'k99', value);
      await expect(state.set('skill', 'k10', value)).rejects.toThrow(refusal);
      await state.set('skill', 'k11', null);
      await state.set('skill', 'k10', value);
      const all = await state.all('skill');
      const stored = [...all].reduce((sum, each) => sum + Buffer.byteLength(each.join('')), 0);
      expect([all.size, stored]).toEqual([fits, fits * (valueBytes + 3)]);
    });

    test('changes made at the same time', async () => {
      const { open } = await database.create();
      const states = [skillState(await open()), skillState(await open())];
      await states[0]?.change('skill', numbered(keys - 5, 1));
      const made = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => states[index % 2]?.set('skill', `more${index}`, 1)),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect((await states[1]?.all('skill'))?.size).toBe(keys);
    });
  });
});

function entries(values: object): Map<string, string> {
  return new Map(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
}
