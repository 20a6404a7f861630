import { describe, expect, test } from 'vitest';
import { isProgramPath } from './is-program-path.ts';

const everywhere = ['scripts/run.py', 'scripts/office/pack.py', 'scripts/test_page.py'];
const withoutRun = ['recalc.py', 'ooxml/scripts/unpack.py', 'skills/a/scripts/office/pack.py'];
const never = [
  'test_recalc.py',
  'recalc_test.py',
  'conftest.py',
  'setup.py',
  'a.test.js',
  'a.spec.mjs',
  'vite.config.js',
  'lib/helper.py',
  'assets/template.js',
  'my-scripts/run.py',
  'node_modules/a/scripts/build.js',
];

describe('a skill that describes no run', () => {
  test.each([...everywhere, ...withoutRun])('may have a program in %s', (path) => {
    expect(isProgramPath(path, false)).toBe(true);
  });
  test.each(never)('has no program in %s', (path) => {
    expect(isProgramPath(path, false)).toBe(false);
  });
});

describe('a skill that describes its runs', () => {
  test.each(everywhere)('may have another program in %s', (path) => {
    expect(isProgramPath(path, true)).toBe(true);
  });
  test.each([...withoutRun, ...never])('has no other program in %s', (path) => {
    expect(isProgramPath(path, true)).toBe(false);
  });
});
