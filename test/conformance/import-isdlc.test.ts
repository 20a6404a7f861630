import { expect, test } from 'vitest';
import { imported } from './support/imported.ts';

const manifest = (ownership: Readonly<Record<string, readonly string[]>>) =>
  JSON.stringify({
    ownership: Object.fromEntries(
      Object.entries(ownership).map(([agent, skills]) => [agent, { phase: 'all', skills }]),
    ),
  });

const frontmatter = (id: string, name: string, more = '') =>
  `---\nname: ${name}\ndescription: What ${name} is for\nskill_id: ${id}\nversion: 2.0.0\n${more}---\n\n# ${name}\n`;

test('imports skills with their agents in the order of the manifest, including skills of Markdown only', async () => {
  const { report, skills } = await imported('isdlc', {
    'skills-manifest.json': manifest({ coder: ['C-2', 'C-1', 'C-9'], checker: ['Q-1', 'Q-2'] }),
    'skills/code/write/SKILL.md': frontmatter('C-1', 'write-code'),
    'skills/code/fix/SKILL.md': frontmatter(
      'C-2',
      'fix-code',
      'dependencies: [C-1]\nwhen_to_use: After a report\n',
    ),
    'skills/quality/lint/SKILL.md': '# Q-1: lint-check\n\n## Description\nRuns the linter\n\n## Owner\n',
    'skills/quality/fan/SKILL.md':
      '# Q-2: Fan-Out/Fan-In\n\n**Version**: 1\n\n## Description\n\nSplits it.\n',
  });
  expect(report.settings.agents).toEqual({
    coder: { skills: ['fix-code', 'write-code'] },
    checker: { skills: ['lint-check', 'fan'] },
  });
  expect(
    [...skills.values()].map(({ id, manifest: { description, metadata }, sidecar }) => [
      id,
      description,
      metadata['title'],
      sidecar.agents,
      sidecar.version,
      sidecar.requires,
    ]),
  ).toEqual([
    ['fan', 'Splits it.', 'Fan-Out/Fan-In', ['checker'], undefined, {}],
    ['fix-code', 'What fix-code is for', undefined, ['coder'], '2.0.0', { 'write-code': '*' }],
    ['lint-check', 'Runs the linter', undefined, ['checker'], undefined, {}],
    ['write-code', 'What write-code is for', undefined, ['coder'], '2.0.0', {}],
  ]);
  expect(report.lines.filter(({ about }) => about === 'C-9')).toEqual([
    { kind: 'left-out', about: 'C-9', text: 'is owned by coder, but no SKILL.md has this id' },
  ]);
});

test('preserves when, for whom and how an external skill is injected', async () => {
  const bindings = {
    phases: ['06-implementation'],
    agents: ['coder'],
    injection_mode: 'always',
    delivery_type: 'reference',
  };
  const { skills } = await imported('isdlc', {
    'skills-manifest.json': manifest({}),
    'external-skills-manifest.json': JSON.stringify({
      skills: [{ name: 'house-rules', file: 'ext/rules.md', bindings }],
    }),
    'ext/rules.md': '# House rules\n\nTabs.\n',
  });
  expect(skills.get('house-rules')?.sidecar).toMatchObject({
    phases: ['06-implementation'],
    agents: ['coder'],
    injection: { mode: 'always', delivery: 'reference' },
  });
});
