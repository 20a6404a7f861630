import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localServer } from '../../../../test/support/local-server.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { plainConfig } from '../../../server/src/testing/plain-config.ts';
import { runAmbit } from '../testing/run-ambit.ts';

const document = {
  phase_skills: { plan: ['mapper', 'ghost'] },
  skills: [{ id: 'mapper', name: 'Mapper', description: 'Maps.', tools: ['Read'] }],
};

const folder = () => temporaryFolder({ 'skills.json': JSON.stringify(document) });

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

test('prints what was left out, what was imported, and the settings for the configuration', async () => {
  const cwd = await folder();
  expect(await runAmbit('import wreckit skills.json --out ./skills', { cwd })).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `left out  ghost is mapped to plan, but no such skill exists
1 skill written to ./skills, 0 already exist; 1 note above

# for ambit.config.yaml:
${settings}`,
  });
  const validated = await runAmbit('skills validate skills', { cwd });
  expect(validated).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 valid, 0 invalid') });
});

test('--fragment writes the settings to a file, and replaces it only with --force', async () => {
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
    stderr: `ambit: USAGE_INVALID: ${join(cwd, 'part.yaml')} already exists; choose another file, or replace it with --force\n`,
  });
  expect(await runAmbit(`${line} --force`, { cwd })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('the settings grant the MCP servers that imported skills ask for, each with its definition', async () => {
  const servers = [{ name: 'db', command: 'db', args: ['-v'] }];
  const cwd = await temporaryFolder({
    'skills.json': JSON.stringify({
      ...document,
      skills: [{ ...document.skills[0], mcp_servers: servers }],
    }),
    'tools/web/SKILL.md': '---\nname: web\ndescription: d\n---\n',
    'tools/web/ambit.yaml': 'mcpServers: { web: { url: "https://mcp.example.com" } }\n',
  });
  const toDo = (about: string, server: string) =>
    `to do     ${about} needs the MCP server ${server}; the settings grant it, so read its definition before you add them\n`;
  const wreckit = await runAmbit('import wreckit . --out made --fragment part.yaml', { cwd });
  expect(wreckit.stdout).toContain(toDo('mapper', 'db'));
  expect(await readFile(join(cwd, 'part.yaml'), 'utf8')).toBe(`${settings}grants:
  mapper:
    mcpServers:
      db:
        command: db
        args:
          - -v
`);
  const folders = await runAmbit('import folder tools --out others', { cwd });
  expect(folders.stdout).toBe(`${toDo('web', 'web')}1 skill written to others, 0 already exist; 1 note above

# for ambit.config.yaml:
grants:
  web:
    mcpServers:
      web:
        url: https://mcp.example.com
`);
});

test('--json prints the report as JSON, and --dry-run writes nothing', async () => {
  const cwd = await folder();
  const ran = await runAmbit('import wreckit skills.json --out skills --dry-run --fragment f --json', {
    cwd,
  });
  expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: {
      written: ['mapper'],
      existing: [],
      settings: {
        phases: {
          plan: {
            tools: ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'mcp__wreckit__save_prd'],
            required: ['mcp__wreckit__save_prd'],
            skills: ['mapper'],
          },
        },
        agents: {},
        grants: {},
      },
      lines: [{ kind: 'left-out', about: 'ghost', text: 'is mapped to plan, but no such skill exists' }],
      installed: null,
    },
  });
  expect(await readdir(cwd)).toEqual(['skills.json']);
});

test('exits with 3 if nothing could be imported, and with 2 if the source does not exist', async () => {
  const cwd = await folder();
  await mkdir(join(cwd, 'empty'));
  expect(await runAmbit('import folder empty --out skills', { cwd })).toMatchObject({
    exitCode: 3,
    stderr: '',
  });
  expect(await runAmbit('import isdlc nowhere --out skills', { cwd })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ambit: USAGE_INVALID: ${join(cwd, 'nowhere')} does not exist\n`,
  });
  expect(await runAmbit('import wrekit x', { cwd })).toMatchObject({ exitCode: 2 });
});

test('refuses a folder whose name gives no namespace, and names the option for one', async () => {
  expect(await runAmbit('import folder /', { cwd: await folder() })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ambit: SOURCE_UNSUPPORTED: no namespace can be made from "/"; choose one with --namespace\n',
  });
});

test('fetches a URL only from a host that the configuration allows', async () => {
  const cwd = await folder();
  const { origin } = await localServer((_, response) => response.end(JSON.stringify(document)));
  const refused = await runAmbit(`import wreckit ${origin}/s.json --out skills`, { cwd });
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
  expect(refused.stderr).toContain(`imports: { network: ["${origin}"] }`);
  const loadConfig = async () => ({ ...plainConfig, imports: { network: [origin], timeoutMs: 5000 } });
  const ran = await runAmbit(`import wreckit ${origin}/s.json --out skills`, {
    cwd,
    loadConfig,
  });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
});

test('exports imported skills in their own format, and reports what it cannot store', async () => {
  const cwd = await folder();
  await runAmbit('import wreckit skills.json --out skills', { cwd });
  await writeFile(join(cwd, 'skills/mapper/notes.txt'), 'notes');
  const loadConfig = async () => ({
    ...plainConfig,
    skills: [{ path: join(cwd, 'skills'), tier: 'local' as const }],
    phases: { plan: { tools: 'all' as const, required: [], skills: ['mapper'] } },
  });
  expect(await runAmbit('export wreckit mapper --out back', { cwd, loadConfig })).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `left out  mapper has another file, which wreckit cannot store
left out  phases.plan has every tool of the agent, but wreckit defines the tools of phases in its code
1 skill in 1 file written to back; 2 notes above
`,
  });
  expect(JSON.parse(await readFile(join(cwd, 'back/skills.json'), 'utf8'))).toEqual({
    ...document,
    phase_skills: { plan: ['mapper'] },
  });
  expect(await runAmbit('export wreckit --out back', { cwd, loadConfig })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('already contains skills.json; choose another folder with --out'),
  });
  expect(await runAmbit('export agentium mapper missing --out x', { cwd, loadConfig })).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('SKILL_NOT_FOUND: unknown skill: missing'),
  });
  expect((await readdir(cwd)).sort()).toEqual(['back', 'skills', 'skills.json']);
});
