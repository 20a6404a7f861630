// Threat model: T72, T77, T83

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { announcedDaemon } from '../../../packages/client/src/node.ts';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import {
  accept,
  ask,
  eras,
  generalTools,
  httpClient,
  initialize,
  stdioClient,
  textOf,
} from '../support/mcp-client.ts';
import { patientLimits } from '../support/waiter.ts';

const object = { type: 'object' };

/** The skills of these tests. `slow` waits until its time limit. */
const skills = {
  double: pythonSkill("print(json.dumps({'n': given['n'] * 2}))", {
    input: { ...object, properties: { n: { type: 'integer' } }, required: ['n'] },
    output: { ...object, properties: { n: { type: 'integer' } }, required: ['n'] },
  }),
  slow: pythonSkill('time.sleep(600)', { limits: patientLimits }),
  wants: pythonSkill('print(1)', { capabilities: { exec: ['python3'], network: ['api.example.com:443'] } }),
  tells: pythonSkill(
    "for n in range(1, 4): print(f'::progress {n}/3 steps\\nat {n}', file=sys.stderr, flush=True)\nprint(1)",
  ),
  fails: pythonSkill("print('no', file=sys.stderr); sys.exit(3)"),
  echo: { 'scripts/say.sh': '#!/bin/sh\necho "said $1"\n' },
  notes: {
    'SKILL.md':
      '---\nname: notes\ndescription: Notes of a test.\nmetadata:\n  author: ada\n---\n# Notes\n\nRead references/a b.md.\n',
    'ambit.yaml': 'phases: [plan]\ntags: [writing]\n',
    'references/a b.md': 'A note: ä.\n',
    'logo.bin': '\u0000',
  },
};

async function withSkills(root: string): Promise<object> {
  await writeSkills(root, skills);
  return { bundledSkills: false, skills: [{ path: root, tier: 'local' }] };
}

const daemon = sharedDaemon(async (root) => ({ ...(await withSkills(root)), bodyLimitBytes: 65_536 }));

describe.each(eras)('over HTTP, in %s', (_, era) => {
  test('a tool skill is a tool whose calls are answered and recorded', async () => {
    const records = await laterRecords(daemon());
    const client = await httpClient(daemon(), era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...generalTools,
      ...['double', 'fails', 'slow', 'tells', 'wants'],
    ]);
    expect(tools.find(({ name }) => name === 'double')).toMatchObject({
      description: 'A skill of a test.',
      inputSchema: skills.double && { type: 'object', required: ['n'] },
      outputSchema: { type: 'object', required: ['n'] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(tools.find(({ name }) => name === 'wants')?.annotations).toEqual({
      readOnlyHint: false,
      openWorldHint: true,
    });
    const told: unknown[] = [];
    const result = await client.callTool(
      { name: 'double', arguments: { n: 21 } },
      { onprogress: ({ message }) => told.push(message) },
    );
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"n":42}' }],
      structuredContent: { n: 42 },
    });
    // A call that takes more than five seconds, on a busy machine, also tells how long it has been running.
    const once = told.filter((message) => !/^double has been running for \d+ s$/.test(String(message)));
    expect(once).toEqual(['double was called']);
    expect(await records()).toMatchObject([
      {
        executionId: result._meta?.['ambit/executionId'],
        via: 'mcp',
        actor: 'key',
        skill: { id: 'double' },
        outcome: 'succeeded',
      },
    ]);
  });

  test('a missing grant is answered with the line that grants it', async () => {
    const records = await laterRecords(daemon());
    const client = await httpClient(daemon(), era);
    const result = await client.callTool({ name: 'wants', arguments: { input: {} } });
    expect(result.isError).toBe(true);
    expect(textOf(result).split('\n')).toEqual([
      'wants did not run (CAPABILITY_DENIED).',
      'This is not granted, and you cannot grant it: a person decides. Tell the user what is missing:',
      '- network api.example.com:443 is not granted. Add to ambit.config.yaml: grants: { wants: { network: ["api.example.com:443"] } }',
    ]);
    const executionId = result._meta?.['ambit/executionId'];
    expect(await records()).toMatchObject([
      { executionId, via: 'mcp', outcome: 'denied', skill: { id: 'wants' } },
    ]);
  });

  test('a client gets progress and logs of a skill only if it requests them', async () => {
    const client = await httpClient(daemon(), era);
    const logged: { level: string; logger?: string | undefined; data: unknown }[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
    const call = async (meta: object = {}): Promise<unknown> => {
      const told: Progress[] = [];
      const onprogress = (progress: Progress) => void told.push(progress);
      await client.callTool({ name: 'tells', arguments: { input: 1 }, ...meta }, { onprogress });
      const rises = told.every(({ progress }, index) => progress > (told[index - 1]?.progress ?? -1));
      return { first: told[0], last: told.at(-1), rises };
    };
    const told = {
      first: { progress: 0, message: 'tells was called' },
      last: { progress: 3, total: 3, message: 'steps' },
      rises: true,
    };
    expect(await call()).toEqual(told);
    if (era === 'legacy') await client.setLoggingLevel('warning');
    await call({ _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } });
    expect(logged).toEqual([]);
    if (era === 'legacy') await client.setLoggingLevel('info');
    expect(await call({ _meta: { 'io.modelcontextprotocol/logLevel': 'info' } })).toEqual(told);
    expect(logged.map(({ data }) => data).join('\n')).toBe('at 1\nat 2\nat 3');
    expect(new Set(logged.map(({ level, logger }) => `${level} ${logger}`))).toEqual(new Set(['info tells']));
  });

  test('answers a failed run, invalid arguments and an unknown tool with errors', async () => {
    const records = await laterRecords(daemon());
    const client = await httpClient(daemon(), era);
    const failed = await client.callTool({ name: 'fails', arguments: { input: 1 } });
    expect([failed.isError, textOf(failed).split('\n').slice(0, 3)]).toEqual([
      true,
      ['no', '', 'fails failed with exit code 3.'],
    ]);
    const misfit = await client.callTool({ name: 'double', arguments: { n: 'x' } });
    expect([misfit.isError, textOf(misfit)]).toEqual([
      true,
      expect.stringContaining('double did not run (INPUT_INVALID): invalid input: /n'),
    ]);
    const odd = await client.callTool({ name: 'load_skill', arguments: { nam: 'notes' } });
    expect([odd.isError, textOf(odd)]).toEqual([true, expect.stringContaining('INPUT_INVALID')]);
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    expect((await records()).map(({ outcome }) => outcome)).toEqual([
      ...['denied', 'denied', 'denied', 'failed'],
    ]);
  });

  test('a canceled request cancels its call', async () => {
    const records = await laterRecords(daemon());
    const client = await httpClient(daemon(), era);
    const stop = new AbortController();
    const called = client.callTool(
      { name: 'slow', arguments: { input: 1 } },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(called).rejects.toThrow();
    await expect.poll(async () => (await records())[0]?.outcome).toBe('canceled');
  });

  test('a model lists, loads and reads skills and runs their scripts', async () => {
    const client = await httpClient(daemon(), era);
    const call = async (name: string, args: Record<string, unknown>) =>
      textOf(await client.callTool({ name, arguments: args }));
    const listed = async (query: object) =>
      JSON.parse(await call('list_skills', { ...query })).skills.map(({ name }: { name: string }) => name);
    expect(await listed({ tag: 'writing' })).toEqual(['notes']);
    expect(await listed({ q: 'NOTES' })).toEqual(['notes']);
    expect(await listed({ phase: 'implement' })).toEqual([
      'double',
      'echo',
      'fails',
      'slow',
      'tells',
      'wants',
    ]);
    expect(await call('load_skill', { name: 'notes' })).toBe(
      [
        '<skill_content name="notes"># Notes\n\nRead references/a b.md.',
        '<skill_directory note="paths in the instructions are relative to it">skill://notes/</skill_directory>',
        '<skill_resources>\n<file>logo.bin</file>\n<file>references/a b.md</file>\n</skill_resources>\n</skill_content>',
      ].join('\n'),
    );
    expect(await call('read_skill_file', { name: 'notes', path: 'references/a b.md' })).toBe('A note: ä.\n');
    expect(await call('read_skill_file', { name: 'notes', path: '../double/SKILL.md' })).toMatch(
      /notes has no file "\.\.\/double\/SKILL\.md"; it has /,
    );
    expect(await call('run_skill_script', { name: 'echo', args: ['hi'] })).toBe('said hi\n');
    expect(await call('run_skill_script', { name: 'notes' })).toMatch(/\(SKILL_NOT_EXECUTABLE\)/);
  });

  test('skills with instructions are prompts', async () => {
    const client = await httpClient(daemon(), era);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['notes']);
    const { messages } = await client.getPrompt({ name: 'notes', arguments: { task: 'Write one.' } });
    expect(messages.map(({ content }) => content)).toEqual([
      { type: 'text', text: expect.stringMatching(/^<skill_content name="notes">/) },
      { type: 'text', text: 'Write one.' },
    ]);
    await expect(client.getPrompt({ name: 'double' })).rejects.toMatchObject({ code: -32_602 });
  });

  test('files of skills are resources while they match the list', async () => {
    const client = await httpClient(daemon(), era);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('skill://notes/SKILL.md');
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read('skill://notes/references/a%20b.md')).toEqual([
      { uri: 'skill://notes/references/a%20b.md', mimeType: 'text/markdown', text: 'A note: ä.\n' },
    ]);
    for (const uri of [
      'skill://notes/nope.md',
      'skill://nope/SKILL.md',
      'skill://notes/..%2Fdouble%2FSKILL.md',
      'skill://notes/../double/SKILL.md',
      'skill://notes/%zz',
      'file:///etc/passwd',
    ])
      await expect(read(uri), uri).rejects.toThrow();
  });

  test('the skills extension lists entries with the digest of each file', async () => {
    const client = await httpClient(daemon(), era);
    const list = await ask(client, 'skills/list', {});
    const notes = list['skills'].find(({ uri }: { uri: string }) => uri === 'skill://notes/SKILL.md');
    const { body } = await daemon().request('GET', '/skills/notes');
    expect(notes).toEqual({
      uri: 'skill://notes/SKILL.md',
      frontmatter: { name: 'notes', description: 'Notes of a test.', metadata: { author: 'ada' } },
      resources: body.files.map(
        ({ path, bytes, sha256 }: { path: string; bytes: number; sha256: string }) => ({
          uri: `skill://notes/${encodeURI(path)}`,
          digest: `sha256:${sha256}`,
          size: bytes,
        }),
      ),
    });
    if (era === 'modern') expect(list).toMatchObject({ ttlMs: 5000, cacheScope: 'private' });
    const got = await ask(client, 'skills/get', { uri: 'skill://notes/SKILL.md' });
    expect(got['skill']).toEqual(notes);
    const folder = await ask(client, 'resources/directory/read', { uri: 'skill://notes/' });
    expect(folder['resources'].map(({ name }: { name: string }) => name)).toEqual([
      ...['SKILL.md', 'ambit.yaml', 'logo.bin', 'references'],
    ]);
    for (const [method, uri] of [
      ['skills/get', 'skill://nope/SKILL.md'],
      ['skills/get', 'skill://notes/logo.bin'],
      ['resources/directory/read', 'skill://notes/SKILL.md'],
    ] as const)
      await expect(ask(client, method, { uri })).rejects.toMatchObject({ code: -32_602 });
  });
});

test('ambit mcp --no-daemon, in either protocol, runs calls, records them and leaves no daemon behind', async () => {
  const root = await temporaryFolder();
  const config = await withSkills(root);
  const folder = await temporaryFolder();
  const file = join(folder, 'ambit.config.yaml');
  const dataDir = join(folder, 'data');
  await writeFile(file, JSON.stringify({ ...config, dataDir }));
  for (const [, era] of eras) {
    const client = await stdioClient(file, era, { args: ['--no-daemon'] });
    const doubled = await client.callTool({ name: 'double', arguments: { n: 4 } });
    expect([era, doubled.structuredContent]).toEqual([era, { n: 8 }]);
    const stop = new AbortController();
    const slow = client.callTool(
      { name: 'slow', arguments: { input: 1 } },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(slow).rejects.toThrow();
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'notes' }]);
    await client.close();
    await until(async () => (await announcedDaemon(dataDir)) === null);
  }
  const later = await startDaemon({ skills: [{ path: root, tier: 'local' }] }, { dataDir });
  expect((await later.audit()).map(({ via, outcome }) => [via, outcome])).toEqual(
    eras.flatMap(() => [
      ['mcp', 'canceled'],
      ['mcp', 'succeeded'],
    ]),
  );
});

test('ambit mcp refuses an endless line and exits cleanly; it ignores lines that are not messages', async () => {
  const config = await withSkills(await temporaryFolder());
  const folder = await temporaryFolder();
  const file = join(folder, 'ambit.config.yaml');
  await writeFile(file, JSON.stringify({ ...config, dataDir: join(folder, 'data') }));
  const endless = await ambit(['mcp', '--config', file], {
    stdin: 'x'.repeat(11 * 1024 * 1024),
  });
  expect([endless.code, JSON.parse(endless.stdout), endless.stderr]).toMatchObject([
    ...[0, { error: { data: { code: 'BODY_TOO_LARGE' } } }, ''],
  ]);
  const lines = `no\n{}\n${JSON.stringify(initialize())}\n`;
  const odd = await ambit(['mcp', '--config', file], { stdin: lines, endsStdin: (stdout) => stdout !== '' });
  expect([odd.code, JSON.parse(odd.stdout)]).toMatchObject([
    0,
    { id: 1, result: { serverInfo: { name: 'ambit' } } },
  ]);
});

describe('unauthorized requests are refused', () => {
  test('without the key, and from a page of another origin', async () => {
    const records = await laterRecords(daemon());
    const send = async (headers: Record<string, string>) => {
      const { status, body } = await daemon().request('POST', '/mcp', {
        body: initialize(),
        headers: { ...accept, ...headers },
      });
      return [status, body.code];
    };
    expect(await send({ authorization: 'Bearer nope' })).toEqual([401, 'UNAUTHENTICATED']);
    expect(await send({ origin: 'https://evil.example' })).toEqual([403, 'ORIGIN_REFUSED']);
    expect((await records()).length).toBe(2);
  });

  test('for an unknown session, an invalid body and a body that is too large', async () => {
    const records = await laterRecords(daemon());
    const status = async (method: string, options: Parameters<Daemon['request']>[2]) =>
      (await daemon().request(method, '/mcp', { ...options, headers: { ...accept, ...options?.headers } }))
        .status;
    const foreign = { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' };
    expect(await status('DELETE', { headers: foreign })).toBe(404);
    expect(await status('GET', { headers: { ...foreign, accept: 'text/event-stream' } })).toBe(404);
    expect(await status('POST', { headers: foreign, body: { jsonrpc: '2.0', id: 1, method: 'ping' } })).toBe(
      404,
    );
    expect(await status('POST', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })).toBe(400);
    expect(await status('POST', { raw: '{"a":1,"a":2}' })).toBe(400);
    expect(await status('POST', { raw: JSON.stringify('x'.repeat(65_536)) })).toBe(413);
    expect(await status('POST', { raw: 'x', headers: { 'content-type': 'text/plain' } })).toBe(415);
    expect((await records()).length).toBe(7);
  });
});

describe.each(eras)('a key over MCP, in %s', (_, era) => {
  test('sees only its skills, and runs none without the scope', async () => {
    const records = await laterRecords(daemon());
    const reader = await withKey(daemon(), `reader-${era}`, { scopes: ['skills:read'] });
    const runner = await withKey(daemon(), `runner-${era}`, {
      scopes: ['skills:read', 'skills:execute'],
      skills: ['double'],
    });

    const reads = await httpClient(reader, era);
    expect(textOf(await reads.callTool({ name: 'load_skill', arguments: { name: 'notes' } }))).toContain(
      '# Notes',
    );
    expect(await reads.callTool({ name: 'double', arguments: { n: 1 } })).toMatchObject({ isError: true });

    const runs = await httpClient(runner, era);
    expect((await runs.listTools()).tools.map(({ name }) => name)).toEqual([...generalTools, 'double']);
    expect(await runs.callTool({ name: 'double', arguments: { n: 1 } })).toMatchObject({
      structuredContent: { n: 2 },
    });
    const hidden = await runs.callTool({ name: 'load_skill', arguments: { name: 'notes' } });
    expect([hidden.isError, textOf(hidden)]).toEqual([
      true,
      expect.stringContaining('skill "notes" does not exist'),
    ]);

    expect(await records()).toMatchObject([
      { actor: `runner-${era}`, outcome: 'denied' },
      { actor: `runner-${era}`, skill: { id: 'double' }, outcome: 'succeeded' },
      { actor: `reader-${era}`, outcome: 'denied', error: { code: 'CAPABILITY_DENIED' } },
    ]);
    const prompts = await withKey(daemon(), `prompts-${era}`, { scopes: ['prompt'] });
    await expect(httpClient(prompts, era)).rejects.toThrow();
  });
});
