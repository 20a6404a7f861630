import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../../server/src/testing/plain-config.ts';
import { runAmbit } from '../../testing/run-ambit.ts';

const files = {
  'skills/b-tool/SKILL.md': '---\nname: b-tool\ndescription: Does it.\n---\nHow to do it.\n',
  'skills/b-tool/ambit.yaml':
    'version: 1.2.0\nphases: [Plan]\ntags: [data]\nagents: [dev]\npriority: 7\nrun: { runtime: process, entry: run.py }\n',
  'skills/b-tool/run.py': '',
  'skills/a-odd/SKILL.md': '---\nname: other-name\ndescription: Says it.\n---\n',
  'skills/broken/SKILL.md': '---\n---\n',
};
const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const entries = (tier: string, folder: string) => [
  {
    id: 'b-tool',
    alias: null,
    name: 'b-tool',
    description: 'Does it.',
    version: '1.2.0',
    phases: ['plan'],
    tags: ['data'],
    agents: ['dev'],
    priority: 7,
    tier,
    digest,
    executable: true,
    path: `${folder}b-tool`,
    tokens: { metadata: expect.any(Number), body: 5 },
    warnings: [],
  },
  {
    id: 'other-name',
    alias: null,
    name: 'other-name',
    description: 'Says it.',
    version: null,
    phases: [],
    tags: [],
    agents: [],
    priority: 50,
    tier,
    digest,
    executable: false,
    path: `${folder}a-odd`,
    tokens: { metadata: expect.any(Number), body: 0 },
    warnings: ['name other-name is not the name of its folder, a-odd'],
  },
];

test('prints the configured skills as one document by id, and unusable folders to stderr', async () => {
  const cwd = await temporaryFolder(files);
  const skills = [{ path: join(cwd, 'skills'), tier: 'verified' as const }];
  const loadConfig = async () => ({ ...plainConfig, skills });
  const { exitCode, stdout, stderr } = await runAmbit('skills index', { cwd, loadConfig });
  expect({ exitCode, document: JSON.parse(stdout), stderr }).toEqual({
    exitCode: 0,
    document: { version: 1, skills: entries('verified', 'skills/') },
    stderr: `left out: ${cwd}/skills/broken: SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter\n`,
  });
});

test('reads named folders as untrusted, writes paths relative to the file, and is reproducible', async () => {
  const cwd = await temporaryFolder(files);
  const line = 'skills index skills --out skills/index.json';
  expect((await runAmbit(line, { cwd })).stdout).toBe(`${cwd}/skills/index.json: 2 skills\n`);
  const text = await readFile(join(cwd, 'skills/index.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({ version: 1, skills: entries('untrusted', '') });
  expect(JSON.parse((await runAmbit(`${line} --json`, { cwd })).stdout)).toEqual({
    file: join(cwd, 'skills/index.json'),
    skills: 2,
  });
  expect(await readFile(join(cwd, 'skills/index.json'), 'utf8')).toBe(text);
  expect(await readdir(join(cwd, 'skills'))).toEqual(['a-odd', 'b-tool', 'broken', 'index.json']);
});

test('reports a file that cannot be written', async () => {
  const cwd = await temporaryFolder(files);
  expect(await runAmbit('skills index skills --out nowhere/index.json', { cwd })).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining(`cannot write ${cwd}/nowhere/index.json: ENOENT`),
  });
});
