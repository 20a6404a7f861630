import { expect, test } from 'vitest';
import { scriptRank } from './script-rank.ts';

test.each([
  ['scripts/run.py', 0],
  ['ooxml/scripts/unpack.py', 0],
  ['scripts/test_page.py', 0],
  ['recalc.py', 0],
  ['office/unpack.py', 1],
  ['my-scripts/run.py', 1],
  ['src/pkg/cli.ts', 1],
  ['setup.py', 2],
  ['lib/recalc_test.py', 2],
  ['a.spec.mjs', 2],
  ['vite.config.ts', 2],
  ['report/__main__.py', 2],
  ['assets/template.js', 2],
  ['src/tests/run.sh', 2],
])('%s has rank %i', (path, rank) => {
  expect(scriptRank(path)).toBe(rank);
});
