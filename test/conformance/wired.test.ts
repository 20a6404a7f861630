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

test('gives the phases of an imported manifest.yaml every tool of the agent, for every agent', async () => {
  const folder = await temporaryFolder();
  const manifest = `skills:
  - { name: scope, file: scope.md }
  - { name: plan, file: plan.md, phases: [PLAN] }
`;
  for (const [path, text] of Object.entries({
    'manifest.yaml': manifest,
    'scope.md': '# S',
    'plan.md': '# P',
  }))
    await writeFile(join(folder, path), text);
  const fragment = join(folder, 'phases.yaml');
  const line = ['import', 'agentium', '.', '--out', 'skills', '--fragment', fragment];
  expect((await ambit(line, { cwd: folder })).code).toBe(0);
  const settings = 'bundledSkills: false\nskills: [{ path: ./skills, tier: local }]\n';
  await writeFile(join(folder, 'config.yaml'), settings + (await readFile(fragment, 'utf8')));

  const prompt = async (phase: string, target: string) => {
    const words = ['prompt', '--phase', phase, '--for', target, '--json', '--config', 'config.yaml'];
    return JSON.parse((await ambit(words, { cwd: folder })).stdout);
  };
  const { tools, settings: all } = await prompt('Plan', 'process');
  expect({ tools, allowed: all.env.AMBIT_ALLOWED_TOOLS, limits: all.limits }).toEqual({
    tools: { allowed: 'all', withheld: [], beyondPhase: [], from: 'unnarrowed' },
    allowed: '"all"',
    limits: ['The program itself must respect the list; nothing enforces it.'],
  });
  const { tools: noTools, settings: none } = await prompt('deploy', 'claude-code');
  expect({ noTools, args: none.args.slice(2, 6), limits: none.limits[0] }).toEqual({
    noTools: { allowed: [], withheld: [], beyondPhase: [], from: 'unknown-phase' },
    args: ['--tools', '', '--permission-mode', 'dontAsk'],
    limits:
      'The agent gets no tools, because its phase is not configured; to give it tools, configure phases.NAME.tools: a list, or all.',
  });
});

test('takes skills from .wreckit/skills into the template of a phase, with their metadata', async () => {
  const folder = await temporaryFolder({
    '.wreckit/skills/index.json': '{',
    '.wreckit/skills/implement/tdd.json': JSON.stringify({
      schema_version: 1,
      name: 'tdd',
      phase: 'implement',
      description: 'Tests first.',
      content: 'Write the test.',
      depends_on_skills: ['errors'],
    }),
    '.wreckit/skills/implement/errors.json': JSON.stringify({
      schema_version: 1,
      name: 'errors',
      phase: 'implement',
      description: 'Handles errors.',
      content: 'Handle the error.',
    }),
    'system.md': '{{#if skills}}{{skills}}\n\nSkill Metadata: {{skills_metadata}}{{/if}}',
    'config.yaml': 'bundledSkills: false\nskills: [{ path: ./skills, tier: local }]\n',
  });
  const run = (...words: string[]) => ambit(words, { cwd: folder });
  const imported = await run('import', 'wreckit', '.', '--out', 'skills');
  expect([imported.code, imported.stdout.split('\n', 1)[0]]).toEqual([
    0,
    expect.stringMatching(/^left out {2}index\.json is ignored, and the skills come from their files: /),
  ]);
  const base = ['prompt', '--system', 'system.md', '--show', 'bodies', '--plain', '--config', 'config.yaml'];
  expect(await run(...base, '--phase', 'implement', '--only', 'tdd', '--only', 'erorrs')).toEqual({
    code: 0,
    stdout:
      'Handle the error.\n\n\nWrite the test.\n\n\nSkill Metadata: {"count":2,"names":["errors","tdd"],"dependencies":["errors"]}',
    stderr: `warning: the phase "implement" is not configured, so it has no tools; no phases are configured
warning: erorrs is named in "only", but no skill has that id; did you mean errors?
`,
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
    stderr: 'warning: ghost is named in "only", but no skill has that id\n',
  });
});
