import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { noCapabilities } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../testing/plain-config.ts';
import type { Config } from './config.ts';
import { skillWarnings } from './skill-warnings.ts';

const skills = [{ id: 'git-summary' }, { id: 'csv-profile' }];
const settings: Pick<Config, 'phases' | 'agents'> = {
  phases: { plan: { tools: [], required: [], skills: ['csv-profile', 'nope'] } },
  agents: { dev: { skills: ['csv-profil'] } },
};

test('names each skill in the configuration that does not exist, and the nearest existing name', async () => {
  const { grants: _, ...rest } = plainConfig;
  const grants = { 'git-sumary': noCapabilities, 'git-summary': noCapabilities };
  expect(await skillWarnings({ ...rest, ...settings, grants }, { skills, broken: [] })).toEqual([
    'grants: the skill "git-sumary" does not exist; did you mean git-summary?',
    'phases.plan.skills: the skill "nope" does not exist',
    'agents.dev.skills: the skill "csv-profil" does not exist; did you mean csv-profile?',
  ]);
});

test('accepts a name without its namespace in phases and agents, and not in grants', async () => {
  const { grants: _, ...rest } = plainConfig;
  const config = {
    ...rest,
    grants: { docx: noCapabilities, 'acme:docx': noCapabilities },
    phases: { plan: { tools: [], required: [], skills: ['docx', 'pdf'] } },
  };
  const found = { skills: [{ id: 'acme:docx' }, { id: 'acme:pdf' }, { id: 'far:pdf' }], broken: [] };
  expect(await skillWarnings(config, found)).toEqual([
    'grants: the skill "docx" does not exist; did you mean acme:docx?',
    'phases.plan.skills: the skill "pdf" does not exist',
  ]);
});

test('names a configured folder that does not exist, and no discovered one', async () => {
  const folder = await temporaryFolder({});
  const roots: Config['skills'] = [
    { path: folder, tier: 'local' },
    { path: join(folder, 'nosuch'), tier: 'local' },
    { path: join(folder, '.claude/skills'), tier: 'untrusted', discovered: true },
  ];
  expect(await skillWarnings({ ...plainConfig, ...settings, skills: roots }, { skills, broken: [] })).toEqual(
    [`skills.1.path: the folder ${join(folder, 'nosuch')} does not exist`],
  );
});

test('reports no unknown skill if a folder could not be searched, and none that is unusable', async () => {
  const folder = await temporaryFolder({ 'nope/SKILL.md': '' });
  const warnings = (root: string) =>
    skillWarnings(
      { ...plainConfig, phases: settings.phases, skills: [{ path: folder, tier: 'local' }] },
      { skills, broken: [{ id: 'nope', root, problem: 'x' }] },
    );
  expect(await warnings(join(folder, 'nope'))).toEqual([]);
  expect(await warnings(folder)).toEqual([]);
  await mkdir(join(folder, 'other'));
  expect(await warnings(join(folder, 'gone'))).toEqual([]);
});
