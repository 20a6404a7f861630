import type { ClientRequest, IncomingMessage } from 'node:http';
import { arrayBuffer, json, text } from 'node:stream/consumers';
import type { Fetch, FetchOptions, FetchResponse } from '@ambit/client';

/** Statuses whose responses have no body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Connects to a Unix socket and ignores the host and port of an address. Each request has its own connection, which its signal
 * ends. It follows no redirects. It rejects as `fetch` does: with the reason of the signal, or with a `TypeError` that has the
 * network's error as its cause. It uses nothing of the platform's `fetch`, which takes as long to load as Node.
 */
export function socketFetch(socketPath: string): Fetch {
  return async (address, { method = 'GET', headers, body = null, signal = null } = {}) => {
    // Loaded lazily: most commands call no daemon.
    const { request } = await import('node:http');
    signal?.throwIfAborted();
    const { pathname, search } = new URL(address);
    const sent: Record<string, string> = { ...headers, host: 'localhost' };
    const length = lengthOf(body);
    if (length !== undefined) sent['content-length'] = String(length);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const path = `${pathname}${search}`;
    const sending = request({ socketPath, path, method, headers: sent, agent: false });
    const end = (): void => void sending.destroy(asError(signal?.reason));
    signal?.addEventListener('abort', end, { once: true });
    sending.once('close', () => signal?.removeEventListener('abort', end));
    sending.on('response', resolve).on('error', reject);
    if (body === null || typeof body === 'string' || body instanceof Uint8Array) sending.end(body);
    // A daemon may answer before it has read the body. Its answer counts.
    else
      sendBody(body instanceof Blob ? body.stream() : body, sending).catch((error: Error) =>
        sending.destroy(error),
      );
    try {
      return socketResponse(await promise, address, signal);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new TypeError('fetch failed', { cause });
    }
  };
}

/** The length of a body that is not a stream. */
function lengthOf(body: FetchOptions['body']): number | undefined {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Blob) return body.size;
  return body instanceof Uint8Array ? body.byteLength : undefined;
}

/**
 * Sends a body as it arrives. The last part ends the request in the same step: the daemon may have answered and disconnected
 * before another one, which would then fail.
 */
async function sendBody(body: AsyncIterable<Uint8Array>, sending: ClientRequest): Promise<void> {
  let last: Uint8Array | undefined;
  for await (const part of body) {
    if (last !== undefined && !sending.write(last)) await drained(sending);
    if (sending.destroyed) return;
    last = part;
  }
  sending.end(last);
}

/** Resolves when more can be written, or nothing any more. */
function drained(sending: ClientRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    sending.off('drain', settle).off('close', settle);
    resolve();
  };
  sending.on('drain', settle).on('close', settle);
  return promise;
}

/** The response with its body unread. The body fails as one of `fetch` does. */
function socketResponse(answer: IncomingMessage, url: string, signal: AbortSignal | null): FetchResponse {
  const status = answer.statusCode ?? 0;
  const isEmpty = withoutBody.has(status);
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : bodyOf(answer, signal);
  const parts = body ?? new Blob([]).stream();
  const header = (name: string): string | null => {
    const value = answer.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  return {
    ok: status >= 200 && status < 300,
    status,
    url,
    headers: { get: header, has: (name) => header(name) !== null },
    body,
    arrayBuffer: () => arrayBuffer(parts),
    json: () => json(parts),
    text: () => text(parts),
  };
}

/** The body as it arrives. It fails as one of `fetch` does; a reader that cancels it ends the connection. */
function bodyOf(answer: IncomingMessage, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  const parts = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (cause) {
        controller.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause }));
      }
    },
    cancel: () => void answer.destroy(),
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('canceled', { cause: reason });
}
