// Threat model: T5

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit, trust } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { generalTools, httpClient, textOf } from '../support/mcp-client.ts';

const count = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What to count in.' } },
  required: ['text'],
};

/** A skill with an entry, two named scripts in other languages, and a script that its sidecar does not mention. */
const notes = {
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'scripts/count.py',
      input: count,
      capabilities: { exec: ['python3'], env: ['TZ'] },
      scripts: {
        shout: {
          entry: 'scripts/shout.pl',
          description: 'Writes its arguments in capitals.',
          protocol: 'command',
          capabilities: { exec: ['perl'] },
        },
        reverse: {
          entry: 'scripts/reverse.mjs',
          description: 'Reverses a text.',
          input: count,
          capabilities: { exec: ['node'] },
        },
      },
    },
  }),
  'scripts/count.py':
    'import json, os, sys\nprint(json.dumps([len(json.load(sys.stdin)["text"]), os.environ["TZ"]]))\n',
  'scripts/shout.pl': '#!/usr/bin/perl\nprint uc("@ARGV"), "\\n";\n',
  'scripts/reverse.mjs':
    "import { readFileSync } from 'node:fs';\nconst { text } = JSON.parse(readFileSync(0, 'utf8'));\nconsole.log(JSON.stringify([...text].reverse().join('')));\n",
  'scripts/other.sh': '#!/bin/sh\necho "other $1 [$TZ]"\n',
};

/** A skill with named scripts and no entry. */
const office = {
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      protocol: 'command',
      capabilities: { exec: ['sh'] },
      scripts: { pack: 'scripts/pack.sh', unpack: 'scripts/unpack.sh' },
    },
  }),
  'scripts/pack.sh': '#!/bin/sh\necho packed\n',
  'scripts/unpack.sh': '#!/bin/sh\necho unpacked\n',
};

const skills = { notes, office };
const grants = { notes: { env: ['TZ'], network: ['api.example'] } };
const text = (stdout: string) => ({ status: 'succeeded', output: { exitCode: 0, stdout, stderr: '' } });

const daemon = sharedDaemon(
  async (path) => {
    await writeSkills(path, skills);
    return { bundledSkills: false, skills: [{ path, tier: 'local' }], grants };
  },
  { env: { TZ: 'UTC' } },
);

test('HTTP calls the entry, each named script and each other script', async () => {
  const outcomeOf = async (skill: string, body: object) => (await daemon().execute(skill, body)).body.outcome;
  const json = (output: unknown) => ({ status: 'succeeded', output });
  const input = { text: 'abc' };
  expect([
    await outcomeOf('notes', { input }),
    await outcomeOf('notes', { script: 'count.py', input }),
    await outcomeOf('notes', { script: 'reverse', input }),
    await outcomeOf('notes', { script: 'shout', args: ['hey', 'you'] }),
    await outcomeOf('notes', { script: 'other.sh', args: ['one'] }),
    await outcomeOf('office', { script: 'unpack' }),
  ]).toEqual([
    json([3, 'UTC']),
    json([3, 'UTC']),
    json('cba'),
    text('HEY YOU\n'),
    // The grant applies to requests of the sidecar, which does not mention this script.
    text('other one []\n'),
    text('unpacked\n'),
  ]);
  const { body } = await daemon().request('GET', '/skills/notes');
  expect({ run: body.run.protocol, entries: body.entries, scripts: body.scripts }).toMatchObject({
    run: 'json',
    entries: [
      {
        name: 'shout',
        description: 'Writes its arguments in capitals.',
        entry: 'scripts/shout.pl',
        run: { protocol: 'command', capabilities: { exec: ['perl'] } },
      },
      { name: 'reverse', entry: 'scripts/reverse.mjs', run: { protocol: 'json', input: count } },
    ],
    scripts: [{ path: 'scripts/other.sh', interpreter: 'sh', runtime: 'process' }],
  });
});

test('a named script has its own schema and requests, and an unknown one is refused with the available names', async () => {
  const records = await laterRecords(daemon());
  const refusals = [
    await daemon().execute('notes', { script: 'reverse', input: { txt: 'abc' } }),
    await daemon().execute('notes', { script: 'shout', input: { text: 'abc' } }),
    await daemon().execute('notes', { script: 'other.sh', capabilities: { env: ['TZ'] } }),
    await daemon().execute('notes', { script: 'shot' }),
    await daemon().execute('office', {}),
  ];
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [422, 'INPUT_INVALID'],
    [422, 'INPUT_INVALID'],
    [403, 'CAPABILITY_DENIED'],
    [422, 'INPUT_INVALID'],
    [422, 'INPUT_INVALID'],
  ]);
  expect(refusals.slice(3).map(({ body }) => body.detail)).toEqual([
    'notes has no script "shot"; it has shout, reverse, scripts/other.sh',
    'office has several scripts; name one with "script", or --script on the command line: pack, unpack',
  ]);
  const found = await records();
  expect(found.map(({ outcome }) => outcome)).toEqual(refusals.map(() => 'denied'));
});

test('a chain passes output to a named script', async () => {
  const steps = [
    { skill: 'notes', script: 'shout', args: ['abc'] },
    { skill: 'notes', script: 'other.sh', args: ['two'] },
  ];
  expect((await daemon().request('POST', '/chain', { body: { steps } })).body.outcome).toEqual(
    text('other two []\n'),
  );
});

test('over MCP the entry is a tool, and a model sees the scripts and can run them', async () => {
  const client = await httpClient(daemon());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...generalTools, 'notes']);
  await expect(client.callTool({ name: 'office', arguments: {} })).rejects.toThrow(
    'tool "office" does not exist; run_skill_script runs its scripts, and load_skill reads its instructions',
  );
  const call = async (name: string, given: Record<string, unknown>) =>
    textOf(await client.callTool({ name, arguments: given }));
  const listed = JSON.parse(await call('list_skills', {})).skills;
  expect(
    listed.map(({ name, tool, entries, scripts }: Record<string, unknown>) => ({
      name,
      tool,
      entries,
      scripts,
    })),
  ).toEqual([
    {
      name: 'notes',
      tool: 'notes',
      scripts: ['scripts/other.sh'],
      entries: [
        { script: 'shout', description: 'Writes its arguments in capitals.' },
        { script: 'reverse', description: 'Reverses a text.', input: count },
      ],
    },
    { name: 'office', entries: [{ script: 'pack' }, { script: 'unpack' }] },
  ]);
  expect([
    await call('run_skill_script', { name: 'notes', script: 'reverse', input: { text: 'abc' } }),
    await call('run_skill_script', { name: 'notes', script: 'shout', args: ['hey'] }),
    await call('run_skill_script', { name: 'notes', script: 'other.sh', args: ['one'] }),
  ]).toEqual(['"cba"', 'HEY\n', 'other one []\n']);
});

test('ambit skills show prints how to call each script, and ambit run calls it that way', async () => {
  const cwd = await temporaryFolder();
  await writeSkills(join(cwd, 'skills'), skills);
  const config = { bundledSkills: false, skills: [{ path: './skills', tier: 'local' }], grants };
  await writeFile(join(cwd, 'ambit.config.yaml'), JSON.stringify(config));
  await trust(cwd);
  const shown = (await ambit(['skills', 'show', 'notes'], { cwd })).stdout.split('\n');
  expect(shown.filter((line) => /^(call it|requests|script )/.test(line))).toEqual([
    'call it with: ambit run notes --input FILE',
    'requests: {"env":["TZ"],"exec":["python3"]}',
    'script shout: Writes its arguments in capitals.',
    'call it with: ambit run notes --script shout -- ARGUMENTS',
    'requests: {"exec":["perl"]}',
    'script reverse: Reverses a text.',
    'call it with: ambit run notes --script reverse --input FILE',
    'requests: {"exec":["node"]}',
    'call it with: ambit run notes --script scripts/other.sh -- ARGUMENTS',
  ]);
  const run = async (...args: string[]) => (await ambit(['run', 'notes', ...args], { cwd })).stdout;
  expect(await run('--script', 'reverse', '--input', '{"text":"abc"}')).toBe('"cba"\n');
  expect(await run('--script', 'shout', '--', 'hey')).toBe('HEY\n');
  const validated = await ambit(['skills', 'validate', 'skills/notes', 'skills/office'], { cwd });
  expect(validated.stdout).toContain('2 valid, 0 invalid');
});

test('ambit skills validate checks each named script', async () => {
  const cwd = await temporaryFolder();
  const broken = office['ambit.yaml'].replace('scripts/unpack.sh', 'scripts/none.sh');
  await writeSkills(cwd, { office: { ...office, 'ambit.yaml': broken } });
  const { stdout } = await ambit(['skills', 'validate', 'office'], { cwd });
  expect(stdout).toContain(
    'ambit.yaml:1: run.scripts.unpack.entry: there is no file scripts/none.sh in this folder',
  );
});
