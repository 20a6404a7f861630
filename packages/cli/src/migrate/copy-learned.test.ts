// Threat model: T118

import { execFileSync } from 'node:child_process';
import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { learnedWorld, skillMd, tree } from '../testing/learned-world.ts';
import { runAmbit } from '../testing/run-ambit.ts';

test('refuses a learned skill that is invalid or contains a link, and merges the others', async () => {
  const cwd = await temporaryFolder({
    'learned/good/SKILL.md': skillMd('good', 'b'),
    'learned/linked/SKILL.md': skillMd('linked', 'b'),
    'learned/wrong/SKILL.md': skillMd('other', 'b'),
    'learned/wrong/ambit.yaml': 'phase: [plan]\n',
    'elsewhere/SKILL.md': skillMd('elsewhere', 'b'),
  });
  await symlink('/etc/hostname', join(cwd, 'learned/linked/notes.md'));
  await symlink('../elsewhere', join(cwd, 'learned/elsewhere'));
  execFileSync('mkdir', [join(cwd, 'learned/pipe')]);
  execFileSync('mkfifo', [join(cwd, 'learned/pipe/SKILL.md')]);
  expect(await runAmbit('skills merge learned --into skills', { cwd })).toEqual({
    exitCode: 3,
    stdout: `add      good  new, for every phase
refused  elsewhere
           the folder is a symbolic link; replace it with the folder
refused  linked
           notes.md: symbolic links are refused; replace it with the file
refused  pipe
           the folder contains "SKILL.md", which is not a regular file
refused  wrong
           SKILL.md:2: name: other is not the name of its folder, wrong
           ambit.yaml:1: unknown field "phase" (did you mean phases?)
`,
    stderr: '',
  });
  expect(await tree(join(cwd, 'skills'))).toEqual({ 'good/SKILL.md': skillMd('good', 'b') });
});

test('does not overwrite a folder that is not a usable skill, or a skill that is a link', async () => {
  const cwd = await learnedWorld();
  const others = await temporaryFolder({ 'any/SKILL.md': skillMd('any', 'others') });
  execFileSync('rm', ['-r', join(cwd, 'skills/any')]);
  await symlink(join(others, 'any'), join(cwd, 'skills/any'));
  execFileSync('cp', ['/dev/null', join(cwd, 'skills/plan/SKILL.md')]);
  const { exitCode, stdout } = await runAmbit('skills merge learned --into skills --mode replace --json', {
    cwd,
  });
  expect({ exitCode, refused: JSON.parse(stdout).refused }).toEqual({
    exitCode: 3,
    refused: [
      {
        id: 'any',
        problems: [`the existing skill is a link to ${others}/any; merge into the folder that contains it`],
      },
      {
        id: 'plan',
        problems: [
          `${cwd}/skills/plan exists but is not the skill plan (SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter); fix it or move it away`,
        ],
      },
    ],
  });
  expect(await readFile(join(others, 'any/SKILL.md'), 'utf8')).toBe(skillMd('any', 'others'));
});

test('merges a single skill, and preserves only the executable bit of its files', async () => {
  const cwd = await learnedWorld();
  await chmod(join(cwd, 'learned/new/scripts/run.sh'), 0o4777);
  await chmod(join(cwd, 'learned/new/SKILL.md'), 0o666);
  await runAmbit('skills merge learned/new --into made/here', { cwd });
  const mode = async (path: string): Promise<number> =>
    (await stat(join(cwd, 'made/here/new', path))).mode & 0o7777;
  expect([await mode('scripts/run.sh'), await mode('SKILL.md')].map((each) => each.toString(8))).toEqual([
    '755',
    '644',
  ]);
  expect(Object.keys(await tree(join(cwd, 'made/here')))).toEqual(['new/SKILL.md', 'new/scripts/run.sh']);
});

test('a learned skill whose file is called skill.md is refused with what to rename', async () => {
  const text = '---\nname: new\ndescription: d\n---\n\nText\n';
  const cwd = await temporaryFolder({
    'learned/new/skill.md': text,
    'learned/other/SKILL.md': text.replace('new', 'other'),
  });
  expect(await runAmbit('skills merge learned --into skills', { cwd })).toEqual({
    exitCode: 3,
    stdout: `add      other  new, for every phase
refused  new
           the folder contains skill.md, which many tools ignore; rename it to SKILL.md
`,
    stderr: '',
  });
});
