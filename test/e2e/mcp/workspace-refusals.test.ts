// Threat model: T331, T332, T333, T338

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { laterRecords } from '../../support/later-records.ts';
import { sqlite } from '../../support/sqlite.ts';
import { contents, made, put, shared as sharedKeeper, start } from '../support/keeper.ts';
import { httpClient, textOf } from '../support/mcp-client.ts';
import { metricsOf } from '../support/metrics.ts';

const shared = sharedKeeper();

/** The rights that a key needs for the tools of workspaces. */
const rights = { scopes: ['skills:read' as const, 'skills:execute' as const] };

/** The code of a refusal; `null` for a successful call. */
async function codeOf(client: Client, name: string, given: Record<string, unknown>): Promise<unknown> {
  const { isError, _meta } = await client.callTool({ name, arguments: given });
  return isError ? _meta?.['ambit/code'] : null;
}

/** One call of each tool that names a workspace, in an order in which all succeed. */
const callsIn = (workspace: string): [name: string, given: Record<string, unknown>][] => [
  ['list_workspaces', { workspace }],
  ['write_workspace_file', { workspace, path: 'b', text: 'one' }],
  ['read_workspace_file', { workspace, path: 'b' }],
  ['edit_workspace_file', { workspace, path: 'b', edits: [{ oldText: 'one', newText: 'two' }] }],
  ['keeper', { args: ['print(open("b").read())'], workspace }],
  ['delete_from_workspace', { workspace, path: 'b' }],
  ['delete_from_workspace', { workspace, path: '/' }],
];

test("no tool or resource finds another key's workspace, and its own key finds it", async () => {
  const daemon = shared();
  const [id, none] = [await made(daemon), '01a00000-0000-7000-8000-000000000000'];
  await put(daemon, id, 'a', 'secret');
  const bot = await withKey(daemon, 'bot', rights);
  const [own, other] = [await httpClient(daemon), await httpClient(bot)];
  const uri = `workspace://${id}/a`;
  const codes = async (client: Client, workspace: string) => {
    const found: unknown[] = [];
    for (const [name, given] of callsIn(workspace)) found.push(await codeOf(client, name, given));
    return found;
  };
  const notFound = callsIn(id).map(() => 'WORKSPACE_NOT_FOUND');
  expect(await codes(other, id)).toEqual(notFound);
  const textFor = async (workspace: string) =>
    textOf(await other.callTool({ name: 'read_workspace_file', arguments: { workspace, path: 'a' } }));
  expect(await textFor(id)).toBe((await textFor(none)).replace(none, id));
  expect(await textFor(id)).toBe(
    `read_workspace_file did not run (WORKSPACE_NOT_FOUND): workspace "${id}" does not exist, has expired or belongs to another key\nlist_workspaces lists the workspaces of this key. create_workspace creates one.`,
  );
  await expect(other.readResource({ uri })).rejects.toMatchObject({
    code: -32_602,
    data: { code: 'WORKSPACE_NOT_FOUND' },
  });
  const records = await daemon.audit('?actor=bot');
  expect(records.map(({ outcome }) => outcome)).toEqual(records.map(() => 'denied'));
  expect(records.map(({ request, skill }) => request ?? skill.id)).toEqual([
    `resources/read ${uri}`,
    ...['tools/call read_workspace_file', 'tools/call read_workspace_file', 'tools/call read_workspace_file'],
    ...callsIn(id)
      .map(([name]) => (name === 'keeper' ? name : `tools/call ${name}`))
      .toReversed(),
  ]);
  expect(await contents(daemon, id)).toEqual({ a: 'secret' });
  expect((await own.readResource({ uri })).contents).toMatchObject([{ uri, text: 'secret' }]);
  expect(await codes(own, id)).toEqual(callsIn(id).map(() => null));
});

test('a key without skills:execute has no workspaces over MCP, and one with it has', async () => {
  const daemon = shared();
  const id = await made(daemon);
  await put(daemon, id, 'a', 'x');
  const reader = await httpClient(await withKey(daemon, 'reader', { scopes: ['skills:read'] }));
  expect((await reader.listTools()).tools.map(({ name }) => name)).toEqual([
    ...['list_skills', 'load_skill', 'read_skill_file'],
  ]);
  expect((await reader.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  await expect(reader.readResource({ uri: `workspace://${id}/a` })).rejects.toThrow();
  for (const [name, given] of [['create_workspace', {}], ...callsIn(id)] as ReturnType<typeof callsIn>)
    expect(await codeOf(reader, name, given)).toBe('CAPABILITY_DENIED');
  const runner = await httpClient(await withKey(daemon, 'runner', rights));
  expect(await codeOf(runner, 'create_workspace', {})).toBeNull();
  expect((await runner.listResourceTemplates()).resourceTemplates).toHaveLength(3);
});

test('refuses a path that leads out of a workspace, and accepts a path inside it', async () => {
  const daemon = shared();
  const [client, workspace] = [await httpClient(daemon), await made(daemon)];
  const write = (path: string) => codeOf(client, 'write_workspace_file', { workspace, path, text: 'x' });
  const paths = ['../a', '/etc/passwd', 'a/../../b', 'a\\b', 'a\0b', 'a//b', './a', ''];
  for (const path of paths) {
    expect(await write(path), path).toBe('INPUT_INVALID');
    expect(await codeOf(client, 'read_workspace_file', { workspace, path }), path).toBe('INPUT_INVALID');
  }
  const edits = [{ oldText: 'x', newText: 'y' }];
  for (const path of ['../a', '/etc/passwd'])
    expect(await codeOf(client, 'edit_workspace_file', { workspace, path, edits })).toBe('INPUT_INVALID');
  expect(await codeOf(client, 'delete_from_workspace', { workspace, path: '../a' })).toBe('INPUT_INVALID');
  const uri = (path: string) => ({ uri: `workspace://${workspace}/${path}` });
  await expect(client.readResource(uri('..%2f..%2fkey'))).rejects.toMatchObject({
    data: { code: 'INPUT_INVALID' },
  });
  expect(await write('a/b..c')).toBeNull();
  expect((await client.readResource(uri('a/b..c'))).contents).toMatchObject([{ text: 'x' }]);
  expect(await contents(daemon, workspace)).toEqual({ 'a/b..c': 'x' });
});

test('refuses a file that is too large and leaves the workspace unchanged; accepts a file that fits', async () => {
  const daemon = await start({ maxPerKey: 2 });
  const client = await httpClient(daemon);
  const create = async () => codeOf(client, 'create_workspace', { quotaBytes: 10 });
  const workspace = await made(daemon, { quotaBytes: 10 });
  const write = (text: string) => codeOf(client, 'write_workspace_file', { workspace, path: 'a', text });
  const edit = (newText: string) =>
    codeOf(client, 'edit_workspace_file', { workspace, path: 'a', edits: [{ oldText: '9', newText }] });
  expect([await write('0123456789'), await write('0123456789x')]).toEqual([null, 'WORKSPACE_FULL']);
  expect([await edit('99'), await edit('x')]).toEqual(['WORKSPACE_FULL', null]);
  expect(await contents(daemon, workspace)).toEqual({ a: '012345678x' });
  const read = (given: object) => codeOf(client, 'read_workspace_file', { workspace, path: 'a', ...given });
  expect([await read({ offset: 11 }), await read({ length: 262_145 }), await read({ offset: 9 })]).toEqual([
    ...['INPUT_INVALID', 'INPUT_INVALID', null],
  ]);
  expect([await create(), await create()]).toEqual([null, 'WORKSPACE_LIMIT']);
  await codeOf(client, 'delete_from_workspace', { workspace, path: '/' });
  expect(await create()).toBeNull();
});

test('a call can name a workspace with either protocol, and is refused for a skill without a workspace', async () => {
  const daemon = shared();
  const client = await httpClient(daemon);
  const workspace = await made(daemon);
  await put(daemon, workspace, 'a', 'x');
  const { tools } = await client.listTools();
  const takes = (name: string) =>
    Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
  expect(takes('keeper')).toEqual(['args', 'stdin', 'stdinBase64', 'files', 'workspace']);
  expect(takes('blind')).toEqual(['args', 'stdin', 'stdinBase64', 'files']);
  expect(textOf(await client.callTool({ name: 'blind', arguments: { workspace } }))).toContain(
    'blind did not run (INPUT_INVALID): blind requests no workspace, so it cannot run in a workspace',
  );
  const ran = await client.callTool({
    name: 'keeper',
    arguments: { args: ['open("b","w").write(open("a").read())'], workspace },
  });
  expect(ran._meta).toMatchObject({ 'ambit/workspace': { id: workspace, stored: true, usedBytes: 2 } });
  const failed = await client.callTool({
    name: 'keeper',
    arguments: { args: ['open("c","w"); sys.exit(3)'], workspace },
  });
  expect([failed.isError, textOf(failed)]).toEqual([
    true,
    expect.stringContaining(`Workspace ${workspace} is unchanged: the run did not succeed: failed.`),
  ]);
  expect(await contents(daemon, workspace)).toEqual({ a: 'x', b: 'x' });
});

test('changes of a workspace over MCP are recorded with the name of the key and digests', async () => {
  const daemon = shared();
  const bot = await withKey(daemon, 'recorded', rights);
  const client = await httpClient(bot);
  const { content } = await client.callTool({ name: 'create_workspace', arguments: {} });
  const [block] = content;
  const { id } = JSON.parse(block?.type === 'text' ? block.text : '');
  for (const [name, given] of callsIn(id)) expect(await codeOf(client, name, given)).toBeNull();
  const bodies = 'SELECT json_group_array(json(body)) FROM (SELECT body FROM log ORDER BY sequence)';
  const events = JSON.parse(sqlite(join(daemon.dataDir, 'audit.db'), bodies)).filter(
    ({ kind, workspace }: { kind: string; workspace?: string }) =>
      kind.startsWith('workspace.') && workspace === id,
  );
  const written = (content: string | null) => ({
    kind: 'workspace.written',
    path: 'b',
    content:
      content === null
        ? null
        : { digest: `sha256:${createHash('sha256').update(content).digest('hex')}`, bytes: content.length },
  });
  expect(events).toMatchObject(
    [
      { kind: 'workspace.created' },
      ...[written('one'), written('two'), written(null)],
      { kind: 'workspace.deleted' },
    ].map((event) => ({ ...event, workspace: id, actor: 'recorded' })),
  );
  expect((await daemon.audit('?skill=keeper'))[0]).toMatchObject({ actor: 'recorded', workspace: { id } });
});

test('a write that is canceled while it waits for a call changes nothing; another waiting write succeeds', async () => {
  const daemon = shared();
  const client = await httpClient(daemon);
  const workspace = await made(daemon);
  const waiting = async () => (await metricsOf(daemon))['ambit_workspace_calls_waiting'];
  const refused = await laterRecords(daemon, 'outcome=denied');
  const held = Promise.withResolvers<void>();
  const stopCall = new AbortController();
  const hold = 'import time\nprint("::progress 1/1 held", file=sys.stderr, flush=True)\ntime.sleep(60)';
  const call = client
    .callTool(
      { name: 'keeper', arguments: { args: [hold], workspace } },
      { signal: stopCall.signal, onprogress: ({ message }) => message === 'held' && held.resolve() },
    )
    .catch(() => 'canceled');
  await held.promise;
  const write = (path: string, signal?: AbortSignal) =>
    client.callTool(
      { name: 'write_workspace_file', arguments: { workspace, path, text: 'x' } },
      signal === undefined ? {} : { signal },
    );
  const stopWrite = new AbortController();
  const canceled = write('canceled', stopWrite.signal).catch(() => 'canceled');
  await expect.poll(waiting).toBe(1);
  const waits = write('made');
  await expect.poll(waiting).toBe(2);
  stopWrite.abort();
  await expect.poll(waiting).toBe(1);
  stopCall.abort();
  expect(await Promise.all([call, canceled])).toEqual(['canceled', 'canceled']);
  expect(textOf(await waits)).toBe('Created "made", 1 bytes.');
  expect(await contents(daemon, workspace)).toEqual({ made: 'x' });
  const ofTools = (await refused()).filter(({ request }) => request?.startsWith('tools/call'));
  expect(ofTools).toMatchObject([
    { request: 'tools/call write_workspace_file', error: { code: 'WORKSPACE_BUSY' } },
  ]);
});
