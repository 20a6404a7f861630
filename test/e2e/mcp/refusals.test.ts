// Threat model: T78, T80, T81

import { describe, expect, test } from 'vitest';
import { revoke, withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { laterRecords } from '../../support/later-records.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { ask, eras, httpClient, initialize, sendMessage } from '../support/mcp-client.ts';

let root: string;

const daemon = sharedDaemon(async (folder) => {
  root = folder;
  const notes = '---\nname: notes\ndescription: Notes.\n---\n# Notes\n';
  await writeSkills(root, { one: pythonSkill('print(1)'), notes: { 'SKILL.md': notes } });
  return { bundledSkills: false, skills: [{ path: root, tier: 'local' }] };
});

describe.each(eras)('in %s', (_, era) => {
  test('a cursor of null is no cursor in every list', async () => {
    const records = await laterRecords(daemon());
    const client = await httpClient(daemon(), era);
    const lists: [string, object][] = [
      ['tools/list', {}],
      ['prompts/list', {}],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['skills/list', {}],
      ['resources/directory/read', { uri: 'skill://notes' }],
    ];
    for (const [method, params] of lists) {
      const first = await ask(client, method, params);
      expect({ method, page: await ask(client, method, { ...params, cursor: null }) }).toEqual({
        method,
        page: first,
      });
    }
    expect(await records()).toEqual([]);
    await expect(ask(client, 'tools/list', { cursor: 1 })).rejects.toMatchObject({
      code: -32602,
      message: 'the request is invalid: params.cursor: Invalid input: expected string, received number',
    });
  });

  test('every protocol error leaves one record; other answers leave none', async () => {
    const records = await laterRecords(daemon());
    const client = await httpClient(daemon(), era);
    const permitted: [string, object][] = [
      ['prompts/get', { name: 'notes' }],
      ['resources/read', { uri: 'skill://notes/SKILL.md' }],
      ['skills/get', { uri: 'skill://notes/SKILL.md' }],
    ];
    for (const [method, params] of permitted) await ask(client, method, params);
    expect(await records()).toEqual([]);
    const uri = 'skill://nope/SKILL.md';
    const refused: [method: string, params: object, about: string, code: string][] = [
      ['prompts/get', { name: 'nope' }, ' nope', 'SKILL_NOT_FOUND'],
      ['resources/read', { uri }, ` ${uri}`, 'REQUEST_INVALID'],
      ['skills/get', { uri }, ` ${uri}`, 'REQUEST_INVALID'],
      ['resources/directory/read', { uri: 'skill://nope' }, ' skill://nope', 'REQUEST_INVALID'],
      ['tools/list', { cursor: 'never given' }, '', 'REQUEST_INVALID'],
      ['resources/list', { cursor: 'never given' }, '', 'REQUEST_INVALID'],
      ['tools/call', { name: 'nope', arguments: {} }, ' nope', 'SKILL_NOT_FOUND'],
      ['nope/nope', {}, '', 'REQUEST_INVALID'],
    ];
    for (const [method, params] of refused) await expect(ask(client, method, params)).rejects.toThrow();
    expect(
      (await records()).map(({ request, error, via, actor }) => [request, error.code, via, actor]),
    ).toEqual(refused.map(([method, , about, code]) => [`${method}${about}`, code, 'mcp', 'key']).reverse());
  });
});

/** The fields of a 2026 message about its client, and the headers of a request with it. */
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const headersOf = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });

test('a batch of several requests is refused because of rate limits; a batch of one is answered', async () => {
  const records = await laterRecords(daemon());
  const begin = initialize('2025-03-26');
  expect((await sendMessage(daemon(), begin)).status).toBe(200);
  const batch = await sendMessage(daemon(), [begin]);
  expect([batch.status, await batch.json()]).toEqual([
    400,
    {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: 'batches are not supported; send one message per request' },
    },
  ]);
  expect(await records()).toMatchObject([
    { request: 'POST /mcp', via: 'mcp', error: { code: 'REQUEST_INVALID' } },
  ]);
});

test('a key has at most 64 listening streams, independent of other keys', async () => {
  const records = await laterRecords(daemon());
  const many = await withKey(daemon(), 'many', { scopes: ['skills:read'] });
  const left = new AbortController();
  // Garbage collection closes an answer without references, as if its client had disconnected.
  const held: Response[] = [];
  const listen = async (caller: Daemon) => {
    const answer = await sendMessage(
      caller,
      {
        jsonrpc: '2.0',
        id: 's',
        method: 'subscriptions/listen',
        params: { _meta, notifications: { toolsListChanged: true } },
      },
      { headers: headersOf('subscriptions/listen'), signal: left.signal },
    );
    held.push(answer);
    return answer.status;
  };
  for (let count = 0; count < 64; count += 1) expect(await listen(many)).toBe(200);
  expect([await listen(many), await listen(daemon())]).toEqual([429, 200]);
  expect(await records()).toMatchObject([
    { actor: 'many', error: { message: 'the MCP endpoint returned status 429' } },
  ]);
  expect(held).toHaveLength(66);
  left.abort();
});

test.each(eras)('in %s, a revoked key receives no more notifications; another key does', async (_, era) => {
  const name = `gone-${era}`;
  const gone = await withKey(daemon(), name, { scopes: ['skills:read'] });
  const told = { gone: 0, kept: 0 };
  const listening = (of: keyof typeof told, caller: Daemon) =>
    httpClient(caller, era, { onToolsChanged: () => (told[of] += 1) });
  const kept = await listening('kept', daemon());
  await listening('gone', gone);
  await writeSkills(root, { [`two-${era}`]: pythonSkill('print(2)') });
  const { tools } = await kept.listTools();
  expect(tools.map((tool) => tool.name)).toContain(`two-${era}`);
  await expect.poll(() => told).toEqual({ gone: 1, kept: 1 });
  await revoke(daemon(), name);
  await writeSkills(root, { [`three-${era}`]: pythonSkill('print(3)') });
  await kept.listTools();
  await expect.poll(() => told.kept).toBe(2);
  expect(told.gone).toBe(1);
});

test('in the protocol of 2026, an unknown method is 404 with -32601, and a known method is 200', async () => {
  const records = await laterRecords(daemon());
  const send = async (method: string) => {
    const message = { jsonrpc: '2.0', id: 7, method, params: { _meta } };
    const response = await sendMessage(daemon(), message, { headers: headersOf(method) });
    const { id, error } = (await response.json()) as { id: number; error?: { code: number } };
    return [response.status, id, error?.code];
  };
  expect(await send('nope/nope')).toEqual([404, 7, -32_601]);
  expect(await send('ping')).toEqual([404, 7, -32_601]);
  expect(await send('prompts/list')).toEqual([200, 7, undefined]);
  expect((await records()).map(({ request }) => request)).toEqual(['ping', 'nope/nope']);
});
