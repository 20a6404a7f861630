// Threat model: T382

import { expect, test } from 'vitest';
import type { TextFile } from '../inspected-skill.ts';
import { declaredNeeds } from './declared-needs.ts';

/** Reads the needs that these files and this metadata declare: `kind name (file)`, and the sentences of findings. */
function read(files: Readonly<Record<string, string>>, metadata: Readonly<Record<string, string>> = {}) {
  const texts = Object.entries(files).map(
    ([path, text]): TextFile => ({ path, text, language: undefined, isMarkdown: false }),
  );
  const { needs, findings } = declaredNeeds(texts, metadata, 'SKILL.md');
  return {
    needs: needs.map(({ kind, name, file }) => `${kind} ${name} (${file})`),
    findings: findings.map(({ rule, file, sentence }) => `${rule} ${file}: ${sentence}`),
  };
}

const codex = 'agents/openai.yaml';
const advice = 'Ambit does not use it, so read yourself what it asks for.';

test('programs, variables, servers and versions are read as other tools declare them', () => {
  const requires = {
    bins: ['uv', 'ffmpeg'],
    anyBins: ['magick', 'convert'],
    env: ['API_KEY'],
    config: ['x'],
  };
  const files = {
    [codex]:
      'interface: { display_name: A }\ndependencies:\n  tools:\n    - { type: mcp, value: github, url: "https://a.example/mcp" }\n    - { type: cli, value: gh }\n    - { type: env_var, value: TOKEN }\n',
    'scripts/run.py': '#!/usr/bin/env python3\n# /// script\n# requires-python = ">=3.11"\n# ///\n',
    'pyproject.toml': '[build]\nrequires-python = "<2"\n[project]\nname = "a"\nrequires-python = ">=3.12"\n',
    'package.json': '{ "engines": { "node": ">=20" } }',
    'template/package.json': '{ "engines": { "node": ">=99" } }',
  };
  const metadata = { openclaw: JSON.stringify({ emoji: 'x', os: ['darwin'], requires }) };
  expect(read(files, metadata)).toEqual({
    needs: [
      'program uv (SKILL.md)',
      'program ffmpeg (SKILL.md)',
      'any-program magick (SKILL.md)',
      'any-program convert (SKILL.md)',
      'environment API_KEY (SKILL.md)',
      'system darwin (SKILL.md)',
      `mcp-server github, https://a.example/mcp (${codex})`,
      `program gh (${codex})`,
      `environment TOKEN (${codex})`,
      'python >=3.11 (scripts/run.py)',
      'python >=3.12 (pyproject.toml)',
      'node >=20 (package.json)',
    ],
    findings: [],
  });
});

test.each(['clawdbot', 'clawdis', 'moltbot'])(
  'the earlier name %s is read too, and another one is not',
  (name) => {
    const text = JSON.stringify({ requires: { bins: ['uv'] } });
    expect(read({}, { [name]: text }).needs).toEqual(['program uv (SKILL.md)']);
    expect(read({}, { other: text }).needs).toEqual([]);
  },
);

test.each([
  ['text', 'hello', 'metadata.openclaw is neither a mapping nor JSON'],
  ['a list', '[1]', 'metadata.openclaw has the wrong type at its top'],
  [
    'a number of programs',
    '{"requires":{"bins":1}}',
    'metadata.openclaw has the wrong type at requires.bins',
  ],
  [
    '101 programs',
    JSON.stringify({ requires: { bins: Array(101).fill('a') } }),
    'metadata.openclaw has the wrong type at requires.bins',
  ],
  [
    'a path as a program',
    '{"requires":{"bins":["../sh"]}}',
    'metadata.openclaw has "../sh", which is no name',
  ],
  ['YAML as a variable', '{"requires":{"env":["A]: x"]}}', 'metadata.openclaw has "A]: x", which is no name'],
])('metadata for OpenClaw that is %s is a finding', (_, text, words) => {
  expect(read({}, { openclaw: text })).toEqual({
    needs: [],
    findings: [`declaration-unread SKILL.md: ${words}. ${advice}`],
  });
});

test.each([
  ['huge', `a: ${'x'.repeat(100_000)}`, /has 100003 characters/],
  ['full of aliases', `a: &a [x]\nb: [${Array(100).fill('*a').join(', ')}]`, /aliases/],
  ['nested too deep', '['.repeat(1000), /is nested more than 64 deep/],
  ['no YAML', 'a: [', /is never closed/],
  ['a list', '- a', /has the wrong type at its top/],
  [
    'tools of the wrong type',
    'dependencies: { tools: { a: 1 } }',
    /has the wrong type at dependencies\.tools/,
  ],
  [
    'a program with a path',
    'dependencies: { tools: [{ type: cli, value: /bin/sh }] }',
    /has "\/bin\/sh", which is no name/,
  ],
  ['a tool that is text', 'dependencies: { tools: [github] }', /at dependencies\.tools\.0/],
])('an agents/openai.yaml that is %s is a finding', (_, text, words) => {
  const { needs, findings } = read({ [codex]: text });
  expect([needs, findings]).toEqual([[], [expect.stringMatching(words)]]);
});

test.each(['', 'policy: { allow_implicit_invocation: true }', 'dependencies:'])(
  'an agents/openai.yaml without tools, %j, declares nothing',
  (text) => {
    expect(read({ [codex]: text })).toEqual({ needs: [], findings: [] });
  },
);
