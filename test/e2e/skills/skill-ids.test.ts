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
  const aliased = (name: string, alias: string) => ({
    ...tool(name),
    'SKILL.md': `---\nname: ${name}\ndescription: Is ${name}.\nmetadata: { skill-id: ${alias} }\n---\nCall ${name}.\n`,
  });
  await writeSkills(join(folder, 'legacy'), {
    tally: aliased('tally', 'DEV-001'),
    'twin-a': aliased('twin-a', 'DEV-002'),
    'twin-b': aliased('twin-b', 'dev-002'),
    impostor: aliased('impostor', 'tally'),
    shadow: aliased('shadow', 'acme__docx'),
    odd: aliased('odd', 'a/../b'),
  });
  return {
    bundledSkills: false,
    skills: [
      { path: acme, tier: 'local', namespace: 'acme' },
      { path: other, tier: 'local', namespace: 'other' },
      { path: join(folder, 'legacy'), tier: 'local' },
    ],
    agents: { coder: { skills: ['tally'] } },
    grants: { 'acme:docx': read, tally: read },
  };
}

const shared = sharedDaemon(configuration);

test('skills of one name in two repositories are called, granted and recorded by their ids', async () => {
  const daemon = shared();
  const called = async (id: string) => (await daemon.execute(id, { input: {} })).body;
  expect((await called('acme:docx')).outcome.output).toEqual(['acme', 'the data']);
  expect((await called('acme__docx')).outcome.output).toEqual(['acme', 'the data']);
  expect(await called('other:docx')).toMatchObject({ code: 'CAPABILITY_DENIED' });
  expect(await called('docx')).toMatchObject({
    code: 'SKILL_AMBIGUOUS',
    status: 409,
    detail: 'acme:docx, other:docx have this name; use one of these ids',
  });
  const recorded = (await daemon.audit('?skill=acme:docx')).map(({ skill }) => skill?.id);
  expect(recorded).toEqual(['acme:docx', 'acme:docx']);

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

const input = { input: {} };
const ignored = {
  impostor: 'metadata.skill-id tally is ignored: a skill has this name',
  odd: 'metadata.skill-id is ignored: it is not 1–64 letters, digits, dots, underscores and hyphens',
  shadow: 'metadata.skill-id acme__docx is ignored: a skill has this name',
  'twin-a': 'metadata.skill-id DEV-002 is ignored: another skill has the same one',
  'twin-b': 'metadata.skill-id dev-002 is ignored: another skill has the same one',
};

test('an alias means its skill, and its grants and records have the name', async () => {
  const daemon = shared();
  expect((await daemon.execute('DEV-001', input)).body.outcome.output).toEqual(['tally', 'the data']);
  expect((await daemon.request('GET', '/skills/DEV-001')).body).toMatchObject({
    id: 'tally',
    alias: 'DEV-001',
  });
  const found = (await daemon.request('GET', '/skills?q=dev-001')).body.skills;
  expect(found.map(({ id, alias }: Record<string, unknown>) => [id, alias])).toEqual([['tally', 'DEV-001']]);
  expect((await daemon.audit('?skill=tally')).map(({ skill }) => skill?.id)).toEqual(['tally']);
  expect(await daemon.audit('?skill=DEV-001')).toEqual([]);
});

test('an alias and its name are one request under an idempotency key', async () => {
  const daemon = shared();
  const keyed = (id: string) =>
    daemon.request('POST', `/skills/${id}/execute`, {
      body: input,
      headers: { 'idempotency-key': '"by-alias"' },
    });
  const [first, again] = [await keyed('DEV-001'), await keyed('tally')];
  expect(first.body.outcome.output).toEqual(['tally', 'the data']);
  expect(again.body).toEqual(first.body);
  expect((await keyed('acme:docx')).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('a name takes precedence over an alias, and an ambiguous or invalid alias means nothing', async () => {
  const daemon = shared();
  expect((await daemon.execute('tally', input)).body.outcome.output).toEqual(['tally', 'the data']);
  for (const alias of ['DEV-002', 'dev-002', 'a%2F..%2Fb', 'dev-001'])
    expect([alias, (await daemon.execute(alias, input)).body.code]).toEqual([alias, 'SKILL_NOT_FOUND']);
  const { skills } = (await daemon.request('GET', '/skills')).body;
  const warned = skills.flatMap(({ id, alias, warnings }: { id: string; alias: null; warnings: string[] }) =>
    warnings.map((warning) => [id, alias, warning]),
  );
  expect(warned).toEqual(Object.entries(ignored).map(([id, warning]) => [id, null, warning]));
});

test('a key learns nothing from an alias of a skill that it may not see', async () => {
  const daemon = shared();
  const bound = (name: string, skill: string) =>
    withKey(daemon, name, { scopes: ['skills:execute' as const, 'skills:read' as const], skills: [skill] });
  const answered = async ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
    status,
    code: body['code'],
    detail: body['detail'],
  });
  const [own, twin, other] = [
    await bound('own', 'tally'),
    await bound('twin', 'twin-a'),
    await bound('stranger', 'acme:docx'),
  ];
  expect((await own.execute('DEV-001', input)).body.outcome.output).toEqual(['tally', 'the data']);
  for (const [key, alias] of [
    [other, 'DEV-001'],
    [twin, 'DEV-002'],
  ] as const) {
    const unknown = await answered(await key.execute('DEV-999', input));
    expect(unknown).toEqual({
      status: 404,
      code: 'SKILL_NOT_FOUND',
      detail: 'skill "DEV-999" does not exist; GET /skills lists the skills that this key can see',
    });
    const called = await answered(await key.execute(alias, input));
    expect(called).toEqual({ ...unknown, detail: String(unknown.detail).replace('DEV-999', alias) });
    const read = await answered(await key.request('GET', `/skills/${alias}`));
    expect(read).toEqual(called);
  }
  for (const url of ['/skills', '/skills/twin-a']) {
    const { body } = await twin.request('GET', url);
    const shown = body.skills ?? [body];
    expect(
      shown.map(({ id, alias, warnings }: Record<string, unknown>) => ({ id, alias, warnings })),
    ).toEqual([{ id: 'twin-a', alias: null, warnings: [] }]);
  }
});

test('MCP lists aliases, and its tools accept them', async () => {
  const client = await httpClient(shared(), 'modern');
  const said = async (name: string, given: Record<string, unknown>) =>
    JSON.stringify((await client.callTool({ name, arguments: given })).content);
  const listed = JSON.parse(JSON.parse(await said('list_skills', { q: 'dev-001' }))[0]['text']);
  expect(listed.skills).toMatchObject([{ name: 'tally', alias: 'DEV-001', tool: 'tally' }]);
  expect(await said('load_skill', { name: 'DEV-001' })).toContain('Call tally.');
  expect(await said('DEV-001', { input: {} })).toContain('the data');
  expect(await said('load_skill', { name: 'DEV-002' })).toContain('does not exist');
});

test('the command line runs a skill by its alias, lists it in an index, and reports ignored ones', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'config.yaml'), JSON.stringify(await configuration(cwd)));
  const run = (args: readonly string[], stdin = '') =>
    ambit([...args, '--config', 'config.yaml'], { cwd, stdin });
  const ran = await run(['run', 'DEV-001', '--input', '-'], '{}');
  expect(JSON.parse(ran.stdout)).toEqual(['tally', 'the data']);
  const index = await run(['prompt', '--agent', 'coder', '--only', 'tally', '--show', 'index']);
  expect(index.stdout).toContain(
    `AVAILABLE SKILLS (consult when relevant using Read tool):\n  DEV-001: tally — Is tally.\n    → ${cwd}/legacy/tally/SKILL.md`,
  );
  const metadata = await run(['prompt', '--only', 'tally']);
  expect(metadata.stdout).toContain('<name>tally</name><alias>DEV-001</alias><description>');
  const [listed, validated, doctor] = [
    await run(['skills', 'list', '--json']),
    await run(['skills', 'validate', '--json']),
    await run(['doctor', '--json']),
  ];
  const warned = JSON.parse(listed.stdout).skills.flatMap(
    ({ id, warnings }: { id: string; warnings: string[] }) => warnings.map((each) => [id, each]),
  );
  expect(Object.fromEntries(warned)).toEqual(ignored);
  for (const warning of Object.values(ignored)) expect(validated.stdout).toContain(warning);
  const checks: { name: string }[] = JSON.parse(doctor.stdout).checks;
  expect(checks.find(({ name }) => name === 'aliases')).toEqual({
    name: 'aliases',
    status: 'limited',
    found: ['impostor', 'shadow', 'twin-a', 'twin-b']
      .map((id) => `${id}: ${ignored[id as 'twin-a']}`)
      .join('; '),
    meaning: 'these aliases mean nothing; the names of the skills work',
    fix: 'Change or remove metadata.skill-id in the SKILL.md of the skill',
  });
});
