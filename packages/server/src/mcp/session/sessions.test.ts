// Threat model: T71

import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { sessions } from './sessions.ts';

const callerOf = (actor: string) => ({ actor, sees: () => true, mayExecute: true, holds: () => true });

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

function world() {
  const open = sessions(() => new McpServer({ name: 'x', version: '1' }, { capabilities: { tools: {} } }));
  const send = (actor: string, method: string, session?: string, body?: object) => {
    const headers = new Headers({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    });
    return open.fetch(new Request('http://127.0.0.1/mcp', { method, headers }), callerOf(actor), body);
  };
  const begin = async (actor: string) =>
    (await send(actor, 'POST', undefined, initialize)).headers.get('mcp-session-id') ?? '';
  return { open, send, begin };
}

test('a session is available only to the actor that began it', async () => {
  const { send, begin } = world();
  const session = await begin('ada');
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  expect((await send('eve', 'POST', session, ping)).status).toBe(404);
  expect((await send('eve', 'DELETE', session)).status).toBe(404);
  expect((await send('ada', 'POST', session, ping)).status).toBe(200);
  expect((await send('ada', 'DELETE', session)).status).toBe(200);
  expect((await send('ada', 'POST', session, ping)).status).toBe(404);
});

test('an actor with more than 64 sessions loses the one that was idle the longest; other actors lose none', async () => {
  const { send, begin, open } = world();
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const others = await begin('eve');
  const first = await begin('ada');
  const second = await begin('ada');
  for (let count = 2; count < 64; count++) await begin('ada');
  expect((await send('ada', 'POST', first, ping)).status).toBe(200);
  await begin('ada');
  expect((await send('ada', 'POST', second, ping)).status).toBe(404);
  expect((await send('ada', 'POST', first, ping)).status).toBe(200);
  expect((await send('eve', 'POST', others, ping)).status).toBe(200);
  await open.close();
});
