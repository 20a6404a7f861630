import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The parts of a request that tests check. */
interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The server's handling of one request. */
export type Turn = (response: ServerResponse, request: ReceivedRequest) => void;

/**
 * A local server that handles each request with the next turn, and further requests with the last.
 */
export async function scriptedServer(...turns: readonly Turn[]) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const turn = turns[Math.min(requests.length, turns.length - 1)];
    const { method = '', url = '', headers } = request;
    const one: ReceivedRequest = { method, url, headers, body: '' };
    requests.push(one);
    void text(request).then((body) => {
      one.body = body;
      server.emit('requests');
      turn?.(response, one);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export function answers(body: unknown, status = 200, headers: Record<string, string> = {}): Turn {
  return (response) => void response.writeHead(status, headers).end(JSON.stringify(body));
}

/** A refusal; `retryAfter` in seconds is sent as a header. */
export function refuses(status: number, code: string, retryAfter?: number): Turn {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return answers(problemOf(status, code), status, headers);
}

export function problemOf(status: number, code: string) {
  return {
    type: `urn:ambit:problem:${code}`,
    title: code,
    status,
    detail: `refused: ${code}`,
    code,
    instance: 'urn:uuid:e',
    executionId: 'e',
  };
}

/** Resets the connection without a response. */
export const resets: Turn = (response) => void response.socket?.resetAndDestroy();

/** Sends events, and then resets the connection, or ends it if `ends`. */
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

/** Sends nothing. */
export const hangs: Turn = () => undefined;

/** Pauses too short to slow down tests. */
export const quick = { firstMs: 1, longestMs: 5 };
