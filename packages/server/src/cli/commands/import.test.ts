import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderCatalog } from '@ambit/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { plainConfig, runAmbit } from '../../testing/run-ambit.ts';

const document = {
  phase_skills: { plan: ['mapper', 'ghost'] },
  skills: [{ id: 'mapper', name: 'Mapper', description: 'Maps.', tools: ['Read'] }],
};

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'ambit-import-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  await writeFile(join(made, 'skills.json'), JSON.stringify(document));
  return made;
}

const settings = `phases:
  plan:
    tools:
      - Read
      - Write
      - Edit
      - Glob
      - Grep
      - mcp__wreckit__save_prd
    required:
      - mcp__wreckit__save_prd
    skills:
      - mapper
`;

test('an import prints what did not come over, how much did, and what belongs into the configuration', async () => {
  const cwd = await folder();
  expect(await runAmbit('import wreckit skills.json', { cwd })).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `left out  ghost is mapped to plan, and there is no such skill
1 written to ./skills, 0 there already; 1 lines above

# for ambit.config.yaml:
${settings}`,
  });
  const validated = await runAmbit('skills validate skills', { cwd });
  expect(validated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 valid, 0 invalid') });
});

test('with --fragment the configuration goes into a file, which is not replaced unless forced', async () => {
  const cwd = await folder();
  const line = 'import wreckit . --out made --fragment part.yaml';
  expect(await runAmbit(line, { cwd })).toMatchObject({
    exitCode: 0,
    stdout: expect.not.stringContaining('phases'),
  });
  expect(await readFile(join(cwd, 'part.yaml'), 'utf8')).toBe(settings);
  expect(await runAmbit(line, { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ambit: USAGE_INVALID: ${join(cwd, 'part.yaml')} is there already; name another file, or replace it with --force\n`,
  });
  expect(await runAmbit(`${line} --force`, { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('with --json the report is data; a dry run writes nothing', async () => {
  const cwd = await folder();
  const ran = await runAmbit('import wreckit skills.json --dry-run --fragment f --json', { cwd });
  expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: {
      written: ['mapper'],
      kept: [],
      settings: {
        phases: {
          plan: {
            tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'mcp__wreckit__save_prd'],
            required: ['mcp__wreckit__save_prd'],
            skills: ['mapper'],
          },
        },
        agents: {},
      },
      lines: [{ kind: 'left-out', about: 'ghost', text: 'is mapped to plan, and there is no such skill' }],
    },
  });
  expect(await readdir(cwd)).toEqual(['skills.json']);
});

test('nothing that could be imported ends with 3, and no source with 2', async () => {
  const cwd = await folder();
  await mkdir(join(cwd, 'empty'));
  expect(await runAmbit('import folder empty', { cwd })).toMatchObject({ exitCode: 3, stderr: '' });
  expect(await runAmbit('import isdlc nowhere', { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ambit: USAGE_INVALID: there is nothing at ${join(cwd, 'nowhere')}\n`,
  });
  expect(await runAmbit('import wrekit x', { cwd })).toMatchObject({ exitCode: 2 });
});

test('a URL is fetched from where the configuration allows it, and from nowhere else', async () => {
  const cwd = await folder();
  const http = createServer((_, response) => response.end(JSON.stringify(document)));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const refused = await runAmbit(`import wreckit ${origin}/s.json`, { cwd });
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
  expect(refused.stderr).toContain(`imports: { network: ["${origin}"] }`);
  const loadConfig = async () => ({ ...plainConfig, imports: { network: [origin], timeoutMs: 5000 } });
  const ran = await runAmbit(`import wreckit ${origin}/s.json`, { cwd, actions: { loadConfig } });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
});

test('what was imported is exported in its own format, with what that cannot hold', async () => {
  const cwd = await folder();
  await runAmbit('import wreckit skills.json', { cwd });
  await writeFile(join(cwd, 'skills/mapper/notes.txt'), 'notes');
  const actions = {
    loadConfig: async () => ({
      ...plainConfig,
      phases: { plan: { tools: [], required: [], skills: ['mapper'] } },
    }),
    catalog: () => folderCatalog([{ path: join(cwd, 'skills'), tier: 'local' as const }]),
  };
  expect(await runAmbit('export wreckit mapper --out back', { cwd, actions })).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `left out  mapper its other file: wreckit has no place for it
1 skills in 1 files written to back; 1 lines above
`,
  });
  expect(JSON.parse(await readFile(join(cwd, 'back/skills.json'), 'utf8'))).toEqual({
    ...document,
    phase_skills: { plan: ['mapper'] },
  });
  expect(await runAmbit('export wreckit --out back', { cwd, actions })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('skills.json already; name another folder with --out'),
  });
  expect(await runAmbit('export agentium mapper nobody --out x', { cwd, actions })).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('SKILL_NOT_FOUND: there is no skill nobody'),
  });
  expect((await readdir(cwd)).sort()).toEqual(['back', 'skills', 'skills.json']);
});
