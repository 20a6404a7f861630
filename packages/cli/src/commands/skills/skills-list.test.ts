import type { SkillList } from '@ambit/api';
import type { Skill } from '@ambit/core';
import { skillSummary } from '@ambit/server/wire';
import { expect, test } from 'vitest';
import { type CliEnvironment, runAmbit, skill } from '../../testing/run-ambit.ts';

/** A daemon with these skills. */
function library(
  skills: readonly Skill[],
  broken: SkillList['broken'] = [],
  brokenCount = broken.length,
): CliEnvironment {
  const list = { skills: skills.map(skillSummary), broken, brokenCount, next: null };
  return { client: { skills: async () => list } };
}

const skills = [
  skill('code-review', {
    version: '1.0.0',
    description: 'Reviews a change.',
    warnings: ['name a is not the name of its folder, code-review'],
  }),
  skill('csv-profile', {
    version: '1.2.0',
    run: { runtime: 'process' },
    description: `Profiles a CSV text.\n${'And more. '.repeat(20)}`,
  }),
  skill('git-summary', {
    run: { runtime: 'process', protocol: 'command' },
    tier: 'verified',
    description: 'Looks \u001b[31mred',
  }),
  skill('text-redact', { run: { runtime: 'wasm' } }),
];
const broken = [{ id: 'bad', root: '/skills/bad', problem: 'SKILL.md has no description' }];

const listing = `ID           VERSION  TIER      KIND             DESCRIPTION
code-review  1.0.0    local     prompt           Reviews a change.
csv-profile  1.2.0    local     process/json     Profiles a CSV text. And more. And more. And more. And more.…
git-summary  -        verified  process/command  Looks \uFFFD[31mred
text-redact  -        local     wasm/json        What text-redact does.

Unusable folders:
  /skills/bad: SKILL.md has no description

Warnings:
  code-review: name a is not the name of its folder, code-review
`;

test('prints one line per skill, and problems below', async () => {
  expect(await runAmbit('skills list', library(skills, broken))).toEqual({
    exitCode: 0,
    stdout: listing,
    stderr: '',
  });
});

test('uses colors and the width of a terminal', async () => {
  const { stdout } = await runAmbit('skills list', { ...library(skills.slice(1, 2)), columns: 60 });
  expect(stdout).toBe(
    '\u001b[1mID           VERSION  TIER   KIND          DESCRIPTION\u001b[22m\ncsv-profile  1.2.0    local  process/json  Profiles a CSV text…\n',
  );
});

test('without skills, names the command that shows the folders', async () => {
  expect((await runAmbit('skills list', library([]))).stdout).toBe(
    'No skills in the configured folders. To see the folders, run: ambit config\n',
  );
});

test('prints how many more unusable folders a daemon has than it listed', async () => {
  const { stdout } = await runAmbit('skills list', library([], broken, 1001));
  expect(stdout).toMatch(/\nUnusable folders:\n {2}\/skills\/bad: .*\n {2}… and 1000 more\n$/);
});
