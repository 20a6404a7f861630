// The worst fault of the earlier systems: tested code that nothing called. A documented file was
// never read, and three of four phases dropped their contexts. Here a user's data goes through the
// command line and into the prompt.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit } from '../support/daemon-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const skill = (id: string, tools: string[]) => ({
  id,
  name: id,
  description: `Does ${id}.`,
  tools,
  required_context: [{ type: 'file', path: 'goal.md' }],
});

const skillsJson = {
  phase_skills: { research: ['look'], plan: ['shape'], implement: ['build'], pr: ['open'] },
  skills: [
    skill('look', ['Read', 'Glob']),
    skill('shape', ['Read', 'Write', 'Edit']),
    skill('build', ['Read', 'Edit', 'Bash']),
    skill('open', ['Read', 'Bash', 'Write']),
  ],
};

test('takes the tools and context of every phase from an imported skills.json', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'skills.json'), JSON.stringify(skillsJson));
  await writeFile(join(folder, 'goal.md'), 'Ship it.\n');
  const fragment = join(folder, 'phases.yaml');
  const imported = await ambit(
    ['import', 'wreckit', 'skills.json', '--out', 'skills', '--fragment', fragment],
    {
      cwd: folder,
    },
  );
  expect(imported.code).toBe(0);
  const settings = 'bundledSkills: false\nskills: [{ path: ./skills, tier: local }]\n';
  await writeFile(join(folder, 'config.yaml'), settings + (await readFile(fragment, 'utf8')));

  const found: Record<string, unknown> = {};
  for (const phase of [...Object.keys(skillsJson.phase_skills), 'unknown']) {
    const line = ['prompt', '--phase', phase, '--root', '.', '--json', '--config', 'config.yaml'];
    const { stdout } = await ambit(line, { cwd: folder });
    const { skills, tools, prompt } = JSON.parse(stdout);
    found[phase] = [
      skills.map(({ id }: { id: string }) => id).join(' '),
      tools.allowed.join(' '),
      prompt.includes('## Files\n\n### goal.md\n\n```\nShip it.\n```'),
    ];
  }
  expect(found).toEqual({
    research: ['look', 'Read Glob', true],
    plan: ['shape', 'Read Write Edit mcp__wreckit__save_prd', true],
    implement: ['build', 'Read Edit Bash mcp__wreckit__update_story_status', true],
    pr: ['open', 'Read Bash', true],
    unknown: ['', '', false],
  });
});

test('composes skills selected by name only', async () => {
  const folder = await temporaryFolder();
  for (const name of ['b', 'a', 'c']) {
    await writeFile(join(folder, `${name}.md`), `# ${name}\n\nDoes ${name}.\n`);
  }
  await ambit(['import', 'folder', '.', '--out', 'skills'], { cwd: folder });
  await writeFile(
    join(folder, 'config.yaml'),
    'bundledSkills: false\nskills: [{ path: ./skills, tier: local }]\n',
  );
  const names = ['--only', 'c', '--only', 'ghost', '--only', 'a'];
  const line = ['prompt', ...names, '--show', 'bodies', '--plain', '--config', 'config.yaml'];
  expect(await ambit(line, { cwd: folder })).toEqual({
    code: 0,
    stdout: '# a\n\nDoes a.\n\n\n# c\n\nDoes c.\n',
    stderr: '',
  });
});
