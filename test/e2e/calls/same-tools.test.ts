// Threat model: T123, T134

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';
import { type Era, eras, generalTools, httpClient, textOf } from '../support/mcp-client.ts';

/** A skill that returns its name and its input. */
const says = (name: string, run: object) => ({
  'ambit.yaml': JSON.stringify({
    run: { runtime: 'process', entry: 'run.sh', capabilities: { exec: ['sh', 'cat'] }, ...run },
  }),
  'run.sh': `#!/bin/sh\nprintf '{"by":"${name}","given":'; cat; printf '}'\n`,
});

const object = (name: string) => ({ type: 'object', properties: { [name]: { type: 'integer' } } });
const digestOf = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 32);

const namespace = 'n'.repeat(30);
const long = 's'.repeat(64);
/** A name that is chosen to make its tool look like the one of the long id. */
const rival = digestOf(`${namespace}:${long}`);
const [nameOfLong, nameOfRival] = [`${namespace}_${rival}`, `${namespace}__${rival}`];

const daemon = sharedDaemon(async (skills) => {
  const workspace = { exec: ['sh', 'cat'], filesystem: { write: ['workspace'] } };
  await writeSkills(skills, {
    bytes: says('bytes', { protocol: 'command' }),
    malformed: says('malformed', { input: { type: 'object', properties: null } }),
    notes: says('notes', { input: object('n'), capabilities: workspace }),
    odd: says('odd', { input: object('größe') }),
    plain: says('plain', { input: object('n') }),
    scripts: { 'scripts/run.sh': '#!/bin/sh\necho "said $1"\n' },
    impostor: {
      ...says('impostor', { input: object('n') }),
      'SKILL.md': `---\nname: impostor\ndescription: Has the name of a tool.\nmetadata: { skill-id: ${nameOfLong} }\n---\n`,
    },
  });
  const named = join(skills, '../named');
  await writeSkills(named, {
    [long]: says('long', { input: object('n') }),
    [rival]: says('rival', { input: object('n') }),
  });
  return {
    bundledSkills: false,
    skills: [
      { path: skills, tier: 'local' },
      { path: named, tier: 'local', namespace },
    ],
  };
});

/** A tool of `GET /tools`. */
interface HttpTool {
  name: string;
  skill: string;
  description: string;
  inputSchema: { properties: object };
  takes: 'input' | 'wrapped' | 'command';
  readOnly: boolean;
  openWorld: boolean;
}

/** The tools of a key over both transports; over MCP without Ambit's own. */
async function toolsOf(caller: Daemon, era: Era = 'modern') {
  const client = await httpClient(caller, era);
  const overMcp = (await client.listTools()).tools
    .filter(({ name }) => !generalTools.includes(name))
    .map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    }));
  const { tools }: { tools: HttpTool[] } = (await caller.request('GET', '/tools')).body;
  return { client, overMcp, tools };
}

/** The same tool as MCP lists it, with the argument for a workspace if its skill takes one. */
function asOverMcp({ name, description, inputSchema, readOnly, openWorld }: HttpTool): object {
  const workspace = { type: 'string', maxLength: 200, description: expect.any(String) };
  const properties = { ...inputSchema.properties, ambit_workspace: workspace };
  return {
    name,
    description,
    inputSchema: name === 'notes' ? { ...inputSchema, properties } : inputSchema,
    annotations: { readOnlyHint: readOnly, openWorldHint: openWorld },
  };
}

test.each(eras)(
  'in %s, MCP lists the tools of HTTP, except skills that only have scripts',
  async (_, era) => {
    const { overMcp, tools } = await toolsOf(daemon(), era);
    expect(tools.map(({ name, takes }) => [name, takes])).toEqual([
      ['bytes', 'command'],
      ['impostor', 'input'],
      ['malformed', 'wrapped'],
      [nameOfRival, 'input'],
      [nameOfLong, 'input'],
      ['notes', 'input'],
      ['odd', 'wrapped'],
      ['plain', 'input'],
      ['scripts', 'command'],
    ]);
    expect(overMcp).toEqual(tools.filter(({ name }) => name !== 'scripts').map(asOverMcp));
  },
);

test('a call by the listed name and arguments runs the same skill over MCP and HTTP', async () => {
  const { client, tools } = await toolsOf(daemon());
  const calls: [name: string, by: string, given: Record<string, unknown>, input: unknown][] = [
    ['bytes', 'bytes', { stdin: '7' }, 7],
    ['plain', 'plain', { n: 7 }, { n: 7 }],
    ['notes', 'notes', { n: 7 }, { n: 7 }],
    ['odd', 'odd', { input: { größe: 7 } }, { größe: 7 }],
    [nameOfLong, 'long', { n: 7 }, { n: 7 }],
    [nameOfRival, 'rival', { n: 7 }, { n: 7 }],
  ];
  for (const [name, by, given, input] of calls) {
    const overMcp = await client.callTool({ name, arguments: given });
    expect([name, JSON.parse(textOf(overMcp))]).toEqual([name, { by, given: input }]);
    const { skill = '', takes } = tools.find((tool) => tool.name === name) ?? {};
    const body = takes === 'command' ? given : { input: takes === 'wrapped' ? given['input'] : given };
    const { output } = (await daemon().execute(skill, body)).body.outcome;
    expect([name, takes === 'command' ? JSON.parse(output.stdout) : output]).toEqual([
      name,
      { by, given: input },
    ]);
  }
});

test('wrapped arguments are refused without the wrapper, and accepted with it', async () => {
  const client = await httpClient(daemon());
  const bare = await client.callTool({ name: 'odd', arguments: { größe: 7 } });
  expect([bare.isError, bare._meta?.['ambit/code']]).toEqual([true, 'INPUT_INVALID']);
  expect(await client.callTool({ name: 'odd', arguments: { input: { größe: 7 } } })).not.toMatchObject({
    isError: true,
  });
});

test('a name is the same for every key, and means only a skill that the key may see', async () => {
  const rights = { scopes: ['skills:read' as const, 'skills:execute' as const] };
  const narrow = await withKey(daemon(), 'narrow', { ...rights, skills: [`${namespace}:${long}`] });
  const { client, overMcp, tools } = await toolsOf(narrow);
  expect([overMcp, tools].map((listed) => listed.map(({ name }) => name))).toEqual([
    [nameOfLong],
    [nameOfLong],
  ]);
  const call = (name: string) => client.callTool({ name, arguments: { n: 7 } });
  expect(textOf(await call(nameOfLong))).toContain('"long"');
  for (const name of [nameOfRival, 'plain', `${namespace}_${digestOf('another')}`])
    await expect(call(name)).rejects.toMatchObject({ code: -32_602 });

  const reader = await withKey(daemon(), 'reader', { scopes: ['skills:read'] });
  const none = await toolsOf(reader);
  expect([none.overMcp, none.tools]).toEqual([[], []]);
  const refused = await none.client.callTool({ name: nameOfLong, arguments: { n: 7 } });
  expect([refused.isError, refused._meta?.['ambit/code']]).toEqual([true, 'CAPABILITY_DENIED']);
});
