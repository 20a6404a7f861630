import { expect, test } from 'vitest';
import { modulesOf } from './skill-modules.mjs';

test('modules are the names of Python files and of the folders around them, not of other folders', () => {
  const paths = ['scripts/json.py', 'email/pkg/x.py', 'csv.pyc', 'html/page.html', 'a-b.py', 'data.json'];
  expect(modulesOf(paths)).toEqual(['scripts', 'json', 'email', 'pkg', 'x', 'csv']);
});
