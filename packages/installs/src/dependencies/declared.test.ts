// Threat model: T164, T165

import { expect, test } from 'vitest';
import { declaredDependencies, mayDeclare } from './declared.ts';

function declared(files: Readonly<Record<string, string>>) {
  const read = declaredDependencies(Object.entries(files).map(([path, text]) => ({ path, text })));
  return {
    requirements: read.requirements.map(({ kind, text, file }) => `${file}: ${kind} ${text}`),
    refused: read.refused.map(({ file, text, reason }) => `${file}: ${text} ${reason}`),
  };
}

test('reads requirements from script blocks, requirements.txt, pyproject.toml and package.json', () => {
  expect(
    declared({
      'scripts/run.py':
        '#!/usr/bin/env python3\n# /// script\n# requires-python = ">=3.9"\n# dependencies = [\n#   "requests<3",\n#   "rich",\n# ]\n# ///\nimport requests\n',
      'requirements.txt': [
        'lxml>=4.9,<6  # parser',
        '# a comment',
        'Pillow [webp] == 10.* ; python_version >= "3.8"',
        '',
      ].join('\r\n'),
      'scripts/requirements.txt': `numpy==1.26.0 \\\n  --hash=sha256:${'a'.repeat(64)}\n`,
      'pyproject.toml': '[project]\nname = "x"\ndependencies = ["PyYAML~=6.0"]\n',
      'package.json': '{"dependencies":{"left-pad":"^1.3.0","@acme/x":"*"},"devDependencies":{"jest":"*"}}',
    }),
  ).toEqual({
    requirements: [
      'scripts/run.py: python requests<3',
      'scripts/run.py: python rich',
      'requirements.txt: python lxml>=4.9,<6',
      'requirements.txt: python Pillow[webp]== 10.* ; python_version >= "3.8"',
      'scripts/requirements.txt: python numpy==1.26.0',
      'pyproject.toml: python PyYAML~=6.0',
      'package.json: npm left-pad@^1.3.0',
      'package.json: npm @acme/x@*',
    ],
    refused: [],
  });
});

test.each<[claim: string, script: string, requirements: string[]]>([
  ['with Windows line ends', '# /// script\r\n# dependencies = ["rich"]\r\n# ///\r\n', ['a.py: python rich']],
  ['at the end of the file', '# /// script\n#\n# dependencies = ["rich"]\n# ///', ['a.py: python rich']],
  [
    'after an unfinished one',
    '# /// script\n#\nx\n# /// script\n# dependencies = ["rich"]\n# ///',
    ['a.py: python rich'],
  ],
  ['that does not end', '# /// script\n# dependencies = ["rich"]\n', []],
  ['that code interrupts', '# /// script\n# dependencies = ["rich"]\nx\n# ///\n', []],
  ['that is indented', '  # /// script\n  # dependencies = ["rich"]\n  # ///\n', []],
  ['of another type', '# /// other\n# dependencies = ["rich"]\n# ///\n', []],
])('reads a script block %s', (_, script, requirements) => {
  expect(declared({ 'a.py': script })).toEqual({ requirements, refused: [] });
});

// A pattern that looks for the end of each block would take minutes, in which a daemon answers nothing.
test('reads a script with thousands of blocks that do not end', () => {
  expect(declared({ 'a.py': '# /// script\n'.repeat(80_000) })).toEqual({ requirements: [], refused: [] });
});

test('refuses what would not come from the configured index', () => {
  const url = 'names a URL or a path; only packages of the configured index are used';
  const option = 'has an option; only packages of the configured index are used';
  const other =
    'names a URL, a path, an alias or a repository; only packages of the configured registry are used';
  expect(
    declared({
      'requirements.txt': [
        'lxml @ https://a.example/lxml.whl',
        'git+https://a.example/x',
        './vendored',
        'vendored/x.whl',
        '--index-url https://a.example/simple',
        '-e .',
        'one>=1 --global-option=build',
        'one ; python_version > "3" --no-binary=one',
        'one [extra -x]',
        'one two',
      ].join('\n'),
      'package.json': JSON.stringify({
        dependencies: { a: 'file:../a', b: 'git+ssh://x/y', c: 'npm:d@1', d: 'acme/d', '../e': '1' },
      }),
      'pyproject.toml': 'project = [',
      'scripts/a.py': '# /// script\n# dependencies = 1\n# ///\n',
    }),
  ).toEqual({
    requirements: [],
    refused: [
      `requirements.txt: lxml @ https://a.example/lxml.whl ${url}`,
      `requirements.txt: git+https://a.example/x ${url}`,
      `requirements.txt: ./vendored ${url}`,
      `requirements.txt: vendored/x.whl ${url}`,
      `requirements.txt: --index-url https://a.example/simple ${option}`,
      `requirements.txt: -e . ${option}`,
      `requirements.txt: one>=1 --global-option=build ${option}`,
      `requirements.txt: one ; python_version > "3" --no-binary=one ${option}`,
      `requirements.txt: one [extra -x] ${option}`,
      'requirements.txt: one two is not a requirement such as "name>=1.0"',
      `package.json: a@file:../a ${other}`,
      `package.json: b@git+ssh://x/y ${other}`,
      `package.json: c@npm:d@1 ${other}`,
      `package.json: d@acme/d ${other}`,
      'package.json: ../e@1 is not the name of a package',
      expect.stringMatching(/^pyproject.toml: {2}is not TOML: Invalid TOML document/),
      'scripts/a.py: dependencies is not a list',
    ],
  });
});

test('declarations are read from the folder of the skill and its scripts, not from templates', () => {
  const paths = [
    'requirements.txt',
    'scripts/package.json',
    'assets/template/package.json',
    'a/run.py',
    'x.txt',
  ];
  expect(paths.filter(mayDeclare)).toEqual(['requirements.txt', 'scripts/package.json', 'a/run.py']);
});
