import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What a request was, as far as tests look at it. */
interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What becomes of one request. */
export type Turn = (response: ServerResponse, asked: Asked) => void;

/** A server on this machine that takes its turns one after another; the last again for whoever comes after it. */
export async function scriptedServer(...turns: readonly Turn[]) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const turn = turns[Math.min(asked.length, turns.length - 1)];
    const { method = '', url = '', headers } = request;
    const one: Asked = { method, url, headers, body: '' };
    asked.push(one);
    void text(request).then((body) => {
      one.body = body;
      server.emit('asked');
      turn?.(response, one);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export function answers(body: unknown, status = 200, headers: Record<string, string> = {}): Turn {
  return (response) => void response.writeHead(status, headers).end(JSON.stringify(body));
}

/** A refusal; `retryAfter` in seconds goes into the header. */
export function refuses(status: number, code: string, retryAfter?: number): Turn {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return answers(problemOf(status, code), status, headers);
}

export function problemOf(status: number, code: string) {
  return {
    ...{ type: `urn:ambit:problem:${code}`, title: code, status, detail: `refused: ${code}`, code },
    ...{ instance: 'urn:uuid:e', executionId: 'e' },
  };
}

/** Breaks the connection off without an answer. */
export const resets: Turn = (response) => void response.socket?.resetAndDestroy();

/** Answers with events, and then breaks off, or `ends`. */
export function streams(
  text: string,
  then: 'ends' | 'breaks' | 'stays',
  headers: Record<string, string> = {},
): Turn {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.write(text, () => {
      if (then === 'ends') response.end();
      else if (then === 'breaks') response.socket?.resetAndDestroy();
    });
  };
}

/** Says nothing. */
export const hangs: Turn = () => undefined;

/** Pauses that no test notices. */
export const quick = { firstMs: 1, longestMs: 5 };
