import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { authorization, type HttpWorld } from './http-world.ts';

/** A complete answer. */
interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: any JSON, compared whole by the tests
  body: any;
}

/** A request over a real connection; unlike with `fetch`, every header can be set. */
interface Sent {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The headers of a session in a browser, of the origin of the server. */
export interface BrowserHeaders extends Record<string, string> {
  cookie: string;
  'ambit-session': string;
  'sec-fetch-site': string;
}

/** A listening test server and requests to it. The first key signs in. */
export async function browserOf({ app }: Pick<HttpWorld, 'app'>) {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  const open = async (path: string, { method = 'GET', body, headers = {} }: Sent = {}) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = httpRequest(`${origin}${path}`, { method, headers: { ...json, ...headers } });
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const send = async (path: string, options: Sent = {}): Promise<Answer> => {
    const response = await open(path, options);
    const content = await text(response);
    const body = content.startsWith('{') ? JSON.parse(content) : content;
    return { status: response.statusCode ?? 0, headers: response.headers, body };
  };
  const code = async (
    purpose: 'sign-in' | 'confirm',
    { readOnly, decision }: { readOnly?: boolean | undefined; decision?: string } = {},
  ): Promise<string> => {
    const { status, body } = await send('/console/codes', {
      method: 'POST',
      headers: { authorization },
      body: { purpose, readOnly, decision },
    });
    expect(status).toBe(200);
    return body.code;
  };
  const signIn = async (readOnly?: boolean): Promise<BrowserHeaders> => {
    const body = { code: await code('sign-in', { readOnly }) };
    const opened = await send('/console/sessions', { method: 'POST', body, headers: { origin } });
    expect(opened.status).toBe(200);
    const [cookie = ''] = opened.headers['set-cookie'] ?? [];
    const [pair = ''] = cookie.split(';');
    return { cookie: pair, 'ambit-session': opened.body.half, 'sec-fetch-site': 'same-origin' };
  };
  return { origin, port, open, send, code, signIn };
}
