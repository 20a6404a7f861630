// Threat model: T202, T256

import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { CallProxy } from './call-proxy.ts';
import type { ProxyRequest } from './call-request.ts';
import { type TestWorld, testWorld } from './testing/egress-world.ts';
import { sendAndRead, tunnelled } from './testing/raw.ts';
import { httpServer, proxyTo } from './testing/servers.ts';

const apiAddress = '93.184.216.34';
const otherAddress = '93.184.216.35';
const token = 's3cret/"token" +&';
const secrets = [{ name: 'TOKEN', value: token, hosts: ['api.example'] }];

/** Two hosts over TLS, one also over plain HTTP. The secret is for `api.example`. */
async function world(): Promise<{
  api: Awaited<ReturnType<typeof httpServer>>;
  other: Awaited<ReturnType<typeof httpServer>>;
  world: TestWorld;
  egress: CallProxy;
  placeholder: string;
}> {
  // Echoes the request in every way that a server might.
  const api = await httpServer(
    (request, response) => {
      const auth = request.headers.authorization ?? '';
      response.setHeader('X-Seen', auth);
      response.setHeader('Content-Type', 'text/plain');
      response.end(
        [auth, Buffer.from(auth, 'latin1').toString('base64'), encodeURIComponent(token)].join('|'),
      );
    },
    { host: 'api.example' },
  );
  const other = await httpServer(undefined, { host: 'other.example' });
  const plain = await httpServer();
  const made = await testWorld({
    names: { 'api.example': [apiAddress], 'other.example': [otherAddress] },
    servers: {
      [`${apiAddress}:443`]: api.port,
      [`${otherAddress}:443`]: other.port,
      [`${apiAddress}:80`]: plain.port,
    },
  });
  const egress = made.open({
    network: ['api.example', 'http://api.example', { host: 'other.example', methods: ['GET', 'POST'] }],
    secrets,
  });
  return { api, other, world: made, egress, placeholder: egress.placeholders['TOKEN'] ?? '' };
}

/** A host that may receive a secret, and headers that send it. */
async function receiving(
  value: string,
  answer: Parameters<typeof httpServer>[0],
  others: string[] = [],
): Promise<{ egress: CallProxy; headers: Record<string, string> }> {
  const [server, other] = [await httpServer(answer, { host: 'api.example' }), await httpServer(answer)];
  const { open } = await testWorld({
    names: { 'api.example': [apiAddress], 'other.example': [otherAddress] },
    servers: { [`${apiAddress}:443`]: server.port, [`${otherAddress}:80`]: other.port },
  });
  const egress = open({
    network: ['api.example', ...others],
    secrets: [{ name: 'TOKEN', value, hosts: ['api.example'] }],
  });
  return { egress, headers: { 'x-token': egress.placeholders['TOKEN'] ?? '' } };
}

function request(host: string, more: Partial<ProxyRequest>): ProxyRequest {
  return { method: 'POST', url: `https://${host}/`, headers: {}, body: new Uint8Array(), ...more };
}

describe("placeholders on the way to the secret's host", () => {
  test('replaces a placeholder in a header, in Basic authorization, in path and query', async () => {
    const { api, egress, placeholder } = await world();
    expect(placeholder).toMatch(/^ambit-secret-[0-9a-f]{32}$/);
    const basic = Buffer.from(`user:${placeholder}`).toString('base64');
    await egress.request(
      request('api.example', {
        url: `https://api.example/a/${placeholder}?b=${placeholder}`,
        headers: { authorization: `Basic ${basic}`, 'x-token': `t ${placeholder}!` },
      }),
    );
    const headers = api.received[0]?.headers ?? [];
    const headerOf = (name: string): string | undefined => headers[headers.indexOf(name) + 1];
    expect(api.received[0]?.url).toBe(`/a/${encodeURIComponent(token)}?b=${encodeURIComponent(token)}`);
    expect(headerOf('authorization')).toBe(`Basic ${Buffer.from(`user:${token}`).toString('base64')}`);
    expect(Buffer.from(headerOf('x-token') ?? '', 'latin1').toString()).toBe(`t ${token}!`);
  });

  test.each([
    ['text/plain', token],
    ['application/json; charset=utf-8', JSON.stringify(token).slice(1, -1)],
    ['application/x-www-form-urlencoded', encodeURIComponent(token)],
  ])('replaces a placeholder in a body of type %s and corrects the length', async (contentType, value) => {
    const { api, egress, placeholder } = await world();
    await egress.request(
      request('api.example', {
        headers: { 'content-type': contentType },
        body: Buffer.from(`a=${placeholder}&b=${placeholder}.`),
      }),
    );
    const body = `a=${value}&b=${value}.`;
    expect(api.received[0]?.body).toBe(body);
    expect(api.received[0]?.headers).toContain(String(Buffer.byteLength(body)));
  });

  test('sends a secret without TLS to granted loopback and to no other host', async () => {
    const { egress, placeholder, world: made } = await world();
    const local = await httpServer();
    const at = `http://127.0.0.1:${local.port}`;
    const granted = made.open({ network: [at], secrets: [{ name: 'TOKEN', value: 'v', hosts: [at] }] });
    await granted.request(
      request('', { url: at, method: 'GET', headers: { x: granted.placeholders['TOKEN'] ?? '' } }),
    );
    expect(local.received[0]?.headers).toEqual(expect.arrayContaining(['x', 'v']));
    await expect(
      egress.request(request('', { url: 'http://api.example/', headers: { x: placeholder } })),
    ).rejects.toMatchObject({
      status: 403,
      denial: {
        capability: 'secrets',
        requested: 'TOKEN to api.example:80',
        reason: 'is not sent over a connection that others can read',
        remedy: expect.stringMatching(/^use https:\/\/api\.example; /),
      },
    });
    // A rule without a scheme means TLS.
    const hosts = [`127.0.0.1:${local.port}`];
    const other = made.open({ network: [at], secrets: [{ name: 'TOKEN', value: 'v', hosts }] });
    await expect(
      other.request(request('', { url: at, headers: { x: other.placeholders['TOKEN'] ?? '' } })),
    ).rejects.toMatchObject({
      denial: {
        reason: 'is not for that host',
        remedy: `add "${at}" to the hosts of { name: TOKEN, hosts: ["${hosts[0]}"] }`,
      },
    });
  });
});

describe('placeholders of a secret for another host', () => {
  test('refuses such a placeholder in a body that is still being sent, and informs the program', async () => {
    const { egress, other, placeholder, world: made } = await world();
    const answer = await sendAndRead(
      connect({
        socket: await tunnelled(await proxyTo(egress), 'other.example:443'),
        servername: 'other.example',
        ca: made.egress.authority,
      }),
      `POST / HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\nContent-Length: 5000\r\n\r\n${placeholder}...`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*x-ambit-denied: secrets TOKEN to other\.example:443/);
    expect([other.received, egress.denials().length]).toEqual([[], 1]);
  });

  test('gives the placeholder of another call no meaning', async () => {
    const { api, egress, world: made, placeholder } = await world();
    const second = made.open({ network: ['api.example'], secrets });
    await second.request(request('api.example', { headers: { 'x-token': placeholder } }));
    expect(api.received[0]?.headers).toContain(placeholder);
    expect(second.placeholders['TOKEN']).not.toBe(egress.placeholders['TOKEN']);
  });
});

describe('secrets that a server sends back', () => {
  test('redacts a secret that arrives in single bytes', async () => {
    const { egress, headers } = await receiving(token, (_request, response) => {
      for (const byte of Buffer.from(`<${token}${token}>`)) response.write(Buffer.from([byte]));
      response.end();
    });
    const { body } = await egress.request(request('api.example', { headers }));
    expect(Buffer.from(body).toString()).toBe(`<${'*'.repeat(2 * Buffer.byteLength(token))}>`);
  });

  test('redacts a secret only in answers of a host that received it in the call', async () => {
    const { egress, headers } = await receiving(token, (_request, response) => void response.end(token));
    const answer = async (sent: Record<string, string>): Promise<string> =>
      Buffer.from((await egress.request(request('api.example', { headers: sent }))).body).toString();
    expect(await answer({})).toBe(token);
    expect(await answer(headers)).toBe('*'.repeat(Buffer.byteLength(token)));
    expect(await answer({})).toBe('*'.repeat(Buffer.byteLength(token)));
    expect(egress.redaction.redactions()).toBe(2);
  });

  test('redacts a secret that arrives in two parts while the host receives another one', async () => {
    const [first, second] = ['sk_live_9f3c1a7e5b2d8064c1e7a95d', 'Zz8Yy7Xx6Ww5Vv4Uu3Tt2Ss1Rr0Qq9Pp'];
    const paused = Promise.withResolvers<ServerResponse>();
    const server = await httpServer(
      (request, response) => {
        const auth = request.headers.authorization ?? '';
        if (auth === first) {
          response.write(`a ${auth.slice(0, 20)}`);
          paused.resolve(response);
        } else response.end(auth);
      },
      { host: 'api.example' },
    );
    const { open } = await testWorld({
      names: { 'api.example': [apiAddress] },
      servers: { [`${apiAddress}:443`]: server.port },
    });
    const hosts = ['api.example'];
    const egress = open({
      network: hosts,
      secrets: [
        { name: 'FIRST', value: first, hosts },
        { name: 'SECOND', value: second, hosts },
      ],
    });
    const answerTo = async (name: string): Promise<string> => {
      const headers = { authorization: egress.placeholders[name] ?? '' };
      const { body } = await egress.request(request('api.example', { headers }));
      return Buffer.from(body).toString();
    };
    const ofFirst = answerTo('FIRST');
    const response = await paused.promise;
    // The answer to a later request arrives after the first part.
    expect(await answerTo('NONE')).toBe('');
    expect(await answerTo('SECOND')).toBe('*'.repeat(32));
    response.end(`${first.slice(20)} b`);
    expect(await ofFirst).toBe(`a ${'*'.repeat(32)} b`);
  });

  test('neither requests nor accepts an encoding that could hide a secret from a host that may receive it', async () => {
    const zipped = (request: IncomingMessage, response: ServerResponse): void => {
      response.setHeader('X-Asked', `${request.headers['accept-encoding']} ${request.headers.range}`);
      response.setHeader('Content-Encoding', request.url === '/zipped' ? 'gzip' : 'identity');
      response.end('x');
    };
    const { egress } = await receiving(token, zipped, ['http://other.example']);
    const ask = (url: string): Promise<unknown> =>
      egress.request(request('', { url, headers: { 'accept-encoding': 'gzip', range: 'bytes=0-3' } }));
    await expect(ask('https://api.example/zipped')).rejects.toMatchObject({ status: 502 });
    const asked = (text: string) => ({ status: 200, headers: { 'x-asked': text } });
    await expect(ask('https://api.example/')).resolves.toMatchObject(asked('identity undefined'));
    await expect(ask('http://other.example/zipped')).resolves.toMatchObject(asked('gzip bytes=0-3'));
  });
});
