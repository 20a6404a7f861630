// Threat model: T344, T345, T356, T359

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { StoredNode } from '../../store/operations/nodes.ts';
import {
  certifyNode,
  type KeyAndCertificate,
  newAuthority,
  newPrivateKey,
  publicKeyOf,
} from '../identity/authority.ts';
import type { NodeIdentity } from '../identity/node-files.ts';
import { listenForPeers } from './listen-for-peers.ts';
import { peerOf } from './peer-caller.ts';
import { peerClient } from './peer-client.ts';

async function identity(authority: KeyAndCertificate, id: number): Promise<NodeIdentity> {
  const key = newPrivateKey();
  return {
    cluster: '6e0b4b0e-8f7d-4c53-9d0e-5f2f7c1b2a11',
    id,
    name: `n${id}`,
    instance: null,
    nextInstance: null,
    key,
    certificate: await certifyNode(authority, id, publicKeyOf(key)),
    authority: authority.certificate,
  };
}

async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization, 'x-own': own, 'ambit-caller': caller } = asked.headers;
  const told = { peer: peerOf(asked), authorization, own, caller, body: await text(asked) };
  response.setHeader('x-answer', 'yes').end(JSON.stringify(told));
}

/** Node 1 listens, and answers with who asked, for whom and what. Node 2 is in its list, and node 3 is retired. */
async function listening() {
  const authority = await newAuthority();
  const own = await identity(authority, 1);
  const nodes = [2, 3].map((id) => ({ id, state: id === 3 ? 'retired' : 'active' }) as StoredNode);
  const joined = new Map<number, string>();
  const join = async (id: number): Promise<NodeIdentity> => {
    const made = await identity(authority, id);
    joined.set(id, made.certificate);
    return made;
  };
  const { port, stop } = await listenForPeers({
    identity: own,
    address: { host: '127.0.0.1', port: 0 },
    nodes: () => nodes,
    certificateOf: async (id) => joined.get(id),
    retired: () => new AbortController().signal,
    serve(asked, response) {
      void answer(asked, response);
    },
    logger: { info: () => undefined, warn: () => undefined },
  });
  onTestFinished(stop);
  const ask = async (
    as: NodeIdentity,
    of: { id: number } = own,
    certificate: string | undefined = own.certificate,
  ) => {
    const client = peerClient(as, async () => certificate);
    onTestFinished(() => client.close());
    const answer = await client.pass(
      { id: of.id, advertise: `127.0.0.1:${port}` },
      {
        method: 'POST',
        url: '/skills?x=1',
        actor: 'bot',
        signal: new AbortController().signal,
        headers: { authorization: 'Bearer secret', 'x-own': 'kept', 'ambit-caller': 'operator' },
        body: Buffer.from('{"input":1}'),
      },
    );
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: JSON.parse(await text(answer)) as unknown,
    };
  };
  return { authority, own, port, join, ask };
}

test('a node passes a request on with its caller, and without the key of the caller', async () => {
  const { join, ask } = await listening();
  expect(await ask(await join(2))).toMatchObject({
    status: 200,
    headers: { 'x-answer': 'yes' },
    body: { peer: { node: 2, actor: 'bot' }, own: 'kept', caller: 'bot', body: '{"input":1}' },
  });
});

const refusal = { code: 'NODE_UNUSABLE', message: 'only nodes of this cluster may connect here' };

test('a retired node, an unknown node and a node of another authority are refused', async () => {
  const { authority, join, ask } = await listening();
  for (const id of [3, 4]) expect(await ask(await join(id))).toMatchObject({ status: 403, body: refusal });
  const other = await identity(await newAuthority(), 2);
  // It could not verify the listener either, so it trusts that one's authority here.
  expect(await ask({ ...other, authority: authority.certificate })).toMatchObject({
    status: 403,
    body: refusal,
  });
});

test('a certificate that the authority made for a node after it had joined is refused', async () => {
  const { authority, join, ask } = await listening();
  const own = await join(2);
  expect(await ask(await identity(authority, 2))).toMatchObject({ status: 403, body: refusal });
  expect(await ask(own)).toMatchObject({ status: 200 });
});

test('a caller without a certificate is refused, whatever its headers say', async () => {
  const { port } = await listening();
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/skills',
    rejectUnauthorized: false,
    headers: { 'ambit-caller': 'operator', authorization: 'Bearer key' },
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([403, refusal]);
});

test('a node refuses to talk to another node than the one it asked for', async () => {
  const { authority, ask } = await listening();
  await expect(ask(await identity(authority, 2), { id: 5 })).rejects.toThrow('it is node-1, not node-5');
});

test('a node refuses to talk to a node with a certificate that the authority made after it had joined', async () => {
  const { authority, own, join, ask } = await listening();
  const as = await join(2);
  const joined = await identity(authority, 1);
  await expect(ask(as, own, joined.certificate)).rejects.toThrow(
    'node-1 has another certificate than the one with which it joined',
  );
  expect(await ask(as, own, own.certificate)).toMatchObject({ status: 200 });
});

test('a node reads the certificate of another node again until the database has it', async () => {
  const { own, port, join } = await listening();
  const found = [undefined, own.certificate];
  const client = peerClient(await join(2), async () => found.shift());
  onTestFinished(() => client.close());
  const node = { id: 1, advertise: `127.0.0.1:${port}` };
  expect(await client.findUnreachable([node])).toEqual([1]);
  expect(await client.findUnreachable([node])).toEqual([]);
  // It is known from then on: no further read finds one.
  expect(await client.findUnreachable([node])).toEqual([]);
});
