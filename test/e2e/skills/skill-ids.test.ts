// Threat model: T134

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, httpClient } from '../support/mcp-client.ts';

/** Two repositories that both have a `docx`, of which only one may read a file. */
async function configuration(folder: string) {
  const [acme, other] = [join(folder, 'acme'), join(folder, 'other')];
  const file = join(folder, 'data.txt');
  await writeFile(file, 'the data');
  const read = { filesystem: { read: [file] } };
  const tool = (says: string) => ({
    ...pythonSkill(`print(json.dumps([${JSON.stringify(says)}, open(${JSON.stringify(file)}).read()]))`, {
      capabilities: { exec: ['python3'], ...read },
    }),
    'SKILL.md': '---\nname: docx\ndescription: Reads documents.\n---\nCall it.\n',
  });
  await writeSkills(acme, { docx: tool('acme'), pdf: { 'ambit.yaml': 'requires: { docx: "*" }' } });
  await writeSkills(other, { docx: tool('other') });
  return {
    bundledSkills: false,
    skills: [
      { path: acme, tier: 'local', namespace: 'acme' },
      { path: other, tier: 'local', namespace: 'other' },
    ],
    grants: { 'acme:docx': read },
  };
}

const shared = sharedDaemon(configuration);

test('skills of one name in two repositories are called, granted and recorded by their ids', async () => {
  const daemon = shared();
  const called = async (id: string) => (await daemon.execute(id, { input: {} })).body;
  expect((await called('acme:docx')).outcome.output).toEqual(['acme', 'the data']);
  expect(await called('other:docx')).toMatchObject({ code: 'CAPABILITY_DENIED' });
  expect(await called('docx')).toMatchObject({
    ...{ code: 'SKILL_AMBIGUOUS', status: 409 },
    detail: 'acme:docx, other:docx have this name; use one of these ids',
  });
  const recorded = (await daemon.audit('?skill=acme:docx')).map(({ skill }) => skill?.id);
  expect(recorded).toEqual(['acme:docx']);

  const rights = { scopes: ['skills:execute' as const], skills: ['acme:docx'] };
  const bot = await withKey(daemon, 'bot', rights);
  const asBot = async (id: string) => (await bot.execute(id, { input: {} })).body;
  expect((await asBot('docx')).outcome.output[0]).toBe('acme');
  expect((await asBot('other:docx')).code).toBe('SKILL_NOT_FOUND');
  const [byName] = await daemon.audit('?actor=bot&outcome=succeeded');
  expect(byName?.skill).toMatchObject({ id: 'acme:docx' });
});

test('MCP offers skills of one name as tools, prompts and resources of different names', async () => {
  const daemon = shared();
  const client = await httpClient(daemon, 'modern');
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => name.includes('docx'))).toEqual(['acme__docx', 'other__docx']);
  const prompts = (await client.listPrompts()).prompts.map(({ name }) => name);
  expect(prompts.filter((name) => name.includes('docx'))).toEqual(['acme:docx', 'other:docx']);
  expect(await client.callTool({ name: 'acme__docx', arguments: { input: {} } })).toMatchObject({
    content: [{ text: expect.stringContaining('the data') }],
  });
  const loaded = await client.callTool({ name: 'load_skill', arguments: { name: 'pdf' } });
  expect(JSON.stringify(loaded)).toContain('acme:pdf');
  const uri = 'skill://acme/docx/SKILL.md';
  const { contents } = await client.readResource({ uri });
  expect(contents).toMatchObject([{ uri, text: expect.stringContaining('name: docx') }]);
  expect(await ask(client, 'skills/get', { uri })).toMatchObject({
    skill: { uri, frontmatter: { name: 'docx' } },
  });
  for (const none of ['skill://docx/SKILL.md', 'skill://acme/SKILL.md', 'skill://acme/none/SKILL.md'])
    await expect(client.readResource({ uri: none })).rejects.toMatchObject({ code: -32_602 });
});

test('the command line runs, completes and selects skills of one name by their ids', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'config.yaml'), JSON.stringify(await configuration(cwd)));
  const run = (args: readonly string[], stdin = '') =>
    ambit([...args, '--config', 'config.yaml'], { cwd, stdin });
  const ran = await run(['run', 'acme:docx', '--input', '-'], '{}');
  expect(JSON.parse(ran.stdout)).toEqual(['acme', 'the data']);
  expect((await run(['skills', 'show', 'docx'])).stderr).toContain(
    'acme:docx, other:docx have this name; use one of these ids',
  );
  const completed = await ambit(['__complete', 'fish', '--', '--config', 'config.yaml', 'run', 'a'], {
    cwd,
  });
  expect(completed.stdout).toMatch(/^acme:docx\t/m);
  const prompt = await run(['prompt', '--only', 'pdf']);
  expect([...prompt.stdout.matchAll(/<name>(.*?)<\/name>/g)].map(([, name]) => name)).toEqual([
    'acme:docx',
    'acme:pdf',
  ]);
});
