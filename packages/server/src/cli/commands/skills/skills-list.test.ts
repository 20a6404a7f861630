import type { BrokenSkill, Catalog, Skill } from '@ambit/core';
import { expect, test } from 'vitest';
import { runAmbit, skill } from '../../../testing/run-ambit.ts';
import type { DaemonLibrary } from '../../ports/actions.ts';

function catalog(skills: readonly Skill[], broken: readonly BrokenSkill[] = []) {
  const of: Catalog = {
    find: async () => undefined,
    list: async () => skills,
    broken: async () => broken,
  };
  return { actions: { catalog: () => of } };
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
  expect(await runAmbit('skills list', catalog(skills, broken))).toEqual({
    exitCode: 0,
    stdout: listing,
    stderr: '',
  });
});

test('uses colors and the width of a terminal', async () => {
  const { stdout } = await runAmbit('skills list', { ...catalog(skills.slice(1, 2)), columns: 60 });
  expect(stdout).toBe(
    '\u001b[1mID           VERSION  TIER   KIND          DESCRIPTION\u001b[22m\ncsv-profile  1.2.0    local  process/json  Profiles a CSV text…\n',
  );
});

test('without skills, names the command that shows the folders', async () => {
  expect((await runAmbit('skills list', catalog([]))).stdout).toBe(
    'No skills in the configured folders. To see the folders, run: ambit config\n',
  );
});

test('prints how many more unusable folders a daemon has than it listed', async () => {
  const library: DaemonLibrary = {
    skills: async () => ({ skills: [], broken, brokenCount: 1001 }),
    skill: unasked,
    compose: unasked,
  };
  const { stdout } = await runAmbit('skills list', { actions: { connectLibrary: async () => library } });
  expect(stdout).toMatch(/\nUnusable folders:\n {2}\/skills\/bad: .*\n {2}… and 1000 more\n$/);
});

async function unasked(): Promise<never> {
  throw new Error('unexpected request');
}

test('--json prints one document', async () => {
  const { stdout, stderr, exitCode } = await runAmbit(
    'skills list --json',
    catalog(skills.slice(0, 2), broken),
  );
  expect({ stderr, exitCode, lines: stdout.split('\n').length }).toEqual({
    stderr: '',
    exitCode: 0,
    lines: 2,
  });
  expect(JSON.parse(stdout)).toEqual({
    skills: [
      {
        id: 'code-review',
        alias: null,
        version: '1.0.0',
        tier: 'local',
        executable: false,
        run: null,
        description: 'Reviews a change.',
        digest: 'sha256:code-review',
        root: '/skills/code-review',
        warnings: ['name a is not the name of its folder, code-review'],
      },
      {
        id: 'csv-profile',
        alias: null,
        version: '1.2.0',
        tier: 'local',
        executable: true,
        run: { runtime: 'process', protocol: 'json' },
        description: skills[1]?.manifest.description,
        digest: 'sha256:csv-profile',
        root: '/skills/csv-profile',
        warnings: [],
      },
    ],
    broken,
    brokenCount: broken.length,
  });
});
