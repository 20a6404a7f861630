import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportSkills } from '../../packages/migrate/src/index.ts';
import { imported } from './support/imported.ts';

const files = {
  'manifest.yaml': `version: "1.1"
skills:
  - name: scope
    file: scope.md
    priority: 5
    phases: []
    version: 1.2.0
  - name: code_reviewer
    file: review/code.md
    priority: 91
    phases:
      - IMPLEMENT_REVIEW
`,
  'scope.md': '## SCOPE\n\nStay in it.\n',
  'review/code.md': '\n# Review\n\nRead it.   \n\n',
};

test('imports a manifest of agentium and exports it byte for byte, with its versions', async () => {
  const { report, skills, folder } = await imported('agentium', files);
  expect([...skills.values()].map(({ id, sidecar: { phases, priority } }) => [id, phases, priority])).toEqual(
    [
      ['code-reviewer', ['implement_review'], 91],
      ['scope', [], 5],
    ],
  );
  expect(report.settings).toEqual({ phases: { implement_review: { tools: 'all' } }, agents: {}, grants: {} });
  const back = join(folder, 'back');
  await exportSkills({
    kind: 'agentium',
    skills: [...skills.values()].reverse(),
    settings: report.settings,
    out: back,
  });
  for (const [path, text] of Object.entries(files)) {
    const written = await readFile(join(back, path), 'utf8');
    expect(written).toBe(text);
  }
});

test('reports a missing file by name and imports the others', async () => {
  const { report, skills } = await imported('agentium', {
    'manifest.yaml': files['manifest.yaml'],
    'scope.md': '# S\n',
  });
  expect([...skills.keys()]).toEqual(['scope']);
  expect(report.lines).toEqual([
    {
      kind: 'left-out',
      about: 'code_reviewer',
      text: 'names the file review/code.md, which cannot be read: no such file',
    },
    {
      kind: 'changed',
      about: 'the phases',
      text: 'get tools: all, every tool of the agent, because agentium has no lists of tools; any other phase has no tools',
    },
  ]);
});
