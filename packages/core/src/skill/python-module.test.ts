// Threat model: T6

import { expect, test } from 'vitest';
import { someSkill } from '../testing/some-skill.ts';
import { moduleAt } from './python-module.ts';
import type { SkillFile } from './skill.ts';
import { asToolSkill } from './tool-skill.ts';

const file = (path: string): SkillFile => ({ path, bytes: 1, sha256: '' });
const files = [
  ...['SKILL.md', 'eval/__init__.py', 'eval/__main__.py', 'eval/loop.py', 'eval.py', 'tools/sub/__main__.py'],
  ...['tools/one.py', 'tools/one/data.py', 'lib/__init__.py', 'lib.py', 'pdf-tools/run.py', 'scripts/a.sh'],
].map(file);

const runs = (script: string, sidecar = '') => {
  const tool = asToolSkill(someSkill('bench', { files, sidecar }), script);
  return (
    tool && [tool.module, tool.run.entry, tool.run.protocol, tool.run.capabilities.exec, tool.requestedBy]
  );
};

test.each([
  ['python3  -m  eval.loop', 'eval.loop', 'eval/loop.py'],
  ['-m tools.one', 'tools.one', 'tools/one.py'],
  ['-m pdf-tools.run', 'pdf-tools.run', 'pdf-tools/run.py'],
])('%s runs the file that Python would', (script, module, path) => {
  expect(runs(script)).toEqual([module, path, 'command', ['python3'], 'operator']);
});

test('gives a module no more than a script that the run does not name', () => {
  expect(runs('-m eval.loop', 'run: { runtime: process, entry: main.py }')).toEqual([
    ...['eval.loop', 'eval/loop.py', 'command', ['python3'], 'none'],
  ]);
});

test.each([
  'http.server',
  'os',
  'eval.none',
  // A package with an __init__.py takes precedence over a module of the same name. This one has no
  // __main__.
  'lib',
  'eval..loop',
  '.eval.loop',
  '../eval/loop',
  '/skill/eval/loop',
  'eval/loop.py',
  '-c',
  'eval.loop;os',
  'constructor',
])('refuses %j, which is no module of the skill, and lists its modules', (name) => {
  expect(() => runs(`-m ${name}`)).toThrow(
    `bench has no module ${JSON.stringify(name)}; it has eval, eval.loop, tools.sub, tools.one, tools.one.data, pdf-tools.run`,
  );
});

test('does not count files whose names cannot be written with dots', () => {
  expect(
    ['a/b.py', 'a/__main__.py', 'a/__init__.py', 'a b/c.py', 'a.sh', '__main__.py'].map(moduleAt),
  ).toEqual(['a.b', 'a', undefined, undefined, undefined, '__main__']);
});
