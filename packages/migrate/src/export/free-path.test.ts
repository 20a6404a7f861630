import { expect, test } from 'vitest';
import { freePath } from './free-path.ts';

test('gives unique plain paths, none of which is both a file and a folder', () => {
  const taken = new Set(['manifest.yaml']);
  const given = ['a.md', 'A.md', './b//c.md', 'a.md/x.md', 'b', 'manifest.yaml', 'b/c.md', 'a.md/x.md'];
  expect(given.map((path) => freePath(path, taken))).toEqual([
    'a.md',
    'A-2.md',
    'b/c.md',
    'a.md-x.md',
    'b-2',
    'manifest-2.yaml',
    'b/c-2.md',
    'a.md-x-2.md',
  ]);
});
