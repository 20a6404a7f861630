// The features of iSDLC's index of skills that its users rely on, through the command: import, ids, paths, length.
// Threat model: T132
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';

const header = 'AVAILABLE SKILLS (consult when relevant using Read tool):';

test('an imported manifest of YAML gives an index with its ids, in its order, with paths in the project', async () => {
  const cwd = await temporaryFolder();
  await writeFiles(cwd, {
    'isdlc/skills-manifest.yaml': `ownership:
  coder:
    skills:
      - { id: DEV-002, name: Refactoring, path: development/refactor }
      - DEV-001
      - { id: DEV-003, path: ../../outside }
`,
    'isdlc/.claude/hooks/config/skills-manifest.json': '{ "ownership": {} }',
    'isdlc/skills/development/write/SKILL.md':
      '---\nname: write-code\ndescription: "Writes code"\nskill_id: DEV-001\n---\n\nText.\n',
    'isdlc/skills/development/refactor/SKILL.md': '---\nowner: coder\n---\n',
  });
  const run = (...args: string[]) => ambit([...args, '--config', 'ambit.config.yaml'], { cwd });
  const imported = await ambit(['import', 'isdlc', 'isdlc', '--out', 'skills'], { cwd });
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  expect(imported.stdout.split('\n').filter((line) => line.startsWith('left out'))).toEqual([
    'left out  .claude/hooks/config/skills-manifest.json is not read, because skills-manifest.yaml is',
    "left out  DEV-003 has the path ../../outside, which leads out of the manifest's folder",
  ]);
  const config = (index: object) =>
    writeFile(
      join(cwd, 'ambit.config.yaml'),
      JSON.stringify({
        index,
        bundledSkills: false,
        discoveredSkills: false,
        skills: [{ path: 'skills', tier: 'local' }],
        agents: { coder: { skills: ['refactor', 'write-code'] } },
      }),
    );
  const index = () => run('prompt', '--agent', 'coder', '--show', 'index');
  await config({ paths: 'relative' });
  expect(await index()).toMatchObject({
    stderr: '',
    stdout: `${header}
  DEV-002: refactor — Refactoring
    → skills/refactor/SKILL.md
  DEV-001: write-code — Writes code
    → skills/write-code/SKILL.md`,
  });
  await config({ paths: 'absolute', maxLines: 4 });
  expect(await index()).toMatchObject({
    stderr: 'warning: the index would have 5 lines, more than the limit of 4; 1 skill is left out\n',
    stdout: `${header}\n  DEV-002: refactor — Refactoring\n    → ${cwd}/skills/refactor/SKILL.md`,
  });
});

test('an index of more than 30 lines for one agent has a warning, and a skill without a description its name', async () => {
  const cwd = await temporaryFolder();
  for (let at = 10; at < 25; at++) {
    await mkdir(join(cwd, `skills/s-${at}`), { recursive: true });
    await writeFile(join(cwd, `skills/s-${at}/SKILL.md`), `---\nname: s-${at}\n---\nText.\n`);
    await writeFile(join(cwd, `skills/s-${at}/ambit.yaml`), 'agents: [coder]\n');
  }
  await writeFile(
    join(cwd, 'ambit.config.yaml'),
    '{ bundledSkills: false, discoveredSkills: false, skills: [{ path: skills, tier: local }] }',
  );
  const prompt = (...args: string[]) =>
    ambit(['prompt', '--config', 'ambit.config.yaml', '--agent', 'coder', '--show', 'index', ...args], {
      cwd,
    });
  const long = await prompt();
  expect(long.stdout.split('\n').slice(0, 3)).toEqual([
    header,
    '  s-10: s-10 — s-10',
    `    → ${cwd}/skills/s-10/SKILL.md`,
  ]);
  expect(long.stderr).toBe(
    "warning: the agent's index has 31 lines, more than 30; to shorten it, give the agent fewer skills, or set index: { maxLines: 30 }\n",
  );
  expect((await prompt('--exclude', 's-24')).stderr).toBe('');
});
