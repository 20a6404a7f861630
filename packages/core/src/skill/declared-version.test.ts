import { expect, test } from 'vitest';
import { declaredVersion, meetsVersion } from './declared-version.ts';

test.each([
  ['a.py', '# /// script\n# dependencies = []\n# requires-python = ">=3.11"\n# ///\n', '>=3.11'],
  ['a.py', "# /// script\r\n# requires-python = '==3.12.*'\r\n# ///\r\n", '==3.12.*'],
  ['a.py', '# /// script\n# requires-python = ">=3.11"\n', undefined],
  ['a.py', 'requires-python = ">=3.11"\n', undefined],
  ['pyproject.toml', '[project]\nrequires-python = ">=3.9,<4"\n', '>=3.9,<4'],
  ['pyproject.toml', '[tool]\nrequires-python = ">=3.9"\n', undefined],
  ['pyproject.toml', `[project]\nrequires-python = "${'>'.repeat(101)}"\n`, undefined],
  ['scripts/package.json', '{"engines":{"node":">=20"}}', '>=20'],
  ['package.json', '{"engines":{"node":20}}', undefined],
  ['package.json', 'null', undefined],
  ['package.json', '{', undefined],
])('%s with %j declares %s', (path, text, range) => {
  expect(declaredVersion(path, text)?.range).toBe(range);
});

test.each([
  ['python3', '>=3.11', '3.11.2', true],
  ['python3', '>=3.12', '3.11.9', false],
  ['python3', '>=3.9', '3.11', true],
  ['python3', '>=3.9,<3.11', '3.11.0', false],
  ['python3', '~=3.10', '3.11.2', true],
  ['python3', '~=3.10.1', '3.11.2', false],
  ['python3', '==3.11.*', '3.11.2', true],
  ['python3', '==3.11', '3.11.2', false],
  ['python3', '!=3.11.*', '3.11.2', false],
  ['python3', '> 3.11', '3.12.0', true],
  ['python3', '^3.11', '3.11.2', undefined],
  ['python3', '>=3.x', '3.11.2', undefined],
  ['python3', '', '3.11.2', undefined],
  ['python3', '>=3.11', 'unknown', undefined],
  ['node', '>=20', '22.18.0', true],
  ['node', '^20.1 || >=24', '22.18.0', false],
  ['node', 'lts/*', '22.18.0', undefined],
  ['node', '>=20', 'unknown', undefined],
] as const)('%s %s and version %s: %s', (program, range, version, met) => {
  expect(meetsVersion({ program, range }, version)).toBe(met);
});
