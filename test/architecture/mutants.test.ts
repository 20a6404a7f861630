import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutants } from '../mutants/list.ts';
import { mutated } from '../mutants/mutant.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(mutants.map((mutant) => [mutant.id, mutant] as const))(
  'the mutant %s changes its source in one place, and its test files exist',
  (_, mutant) => {
    const source = readFileSync(join(root, mutant.file), 'utf8');
    expect(mutated(source, mutant)).not.toBe(source);
    expect(mutant.killedBy.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  },
);

test('no two mutants have the same name', () => {
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
});

test('a mutant is reported as stale if its source has the text not at all, or twice', () => {
  const mutant = { id: 'a', area: 'grant', breaks: '', file: 'f.ts', find: 'b', replace: '$&c' } as const;
  expect(() => mutated('a', mutant)).toThrow(
    'f.ts no longer has the text that a replaces; change "find" of the mutant',
  );
  expect(() => mutated('abb', mutant)).toThrow('f.ts has the text that a replaces 2 times; name more of it');
  expect(mutated('aba', mutant)).toBe('a$&ca');
});
