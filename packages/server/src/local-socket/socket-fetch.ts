import type { ClientRequest, IncomingMessage } from 'node:http';

/** Statuses whose responses have no body. */
const withoutBody: ReadonlySet<number | undefined> = new Set([204, 205, 304]);

/**
 * A `fetch` that connects to a Unix socket and ignores the host and port of an address. Each request has its own connection,
 * which its signal ends. It follows no redirects. It rejects as `fetch` does: with the reason of the signal, or with a
 * `TypeError` that has the network's error as its cause.
 */
export function socketFetch(socketPath: string): typeof fetch {
  return async (input, init) => {
    // Loaded lazily: most commands call no daemon.
    const { request: send } = await import('node:http');
    // It reads all forms of addresses, headers and bodies.
    const asked = new Request(input, init);
    const { signal } = asked;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { pathname, search } = new URL(asked.url);
    const body = init?.body ?? (input instanceof Request ? input.body : null);
    const headers: Record<string, string> = { ...Object.fromEntries(asked.headers), host: 'localhost' };
    const length = lengthOf(body);
    if (length !== undefined) headers['content-length'] = String(length);
    const { method } = asked;
    const sending = send({ socketPath, path: `${pathname}${search}`, method, headers, agent: false });
    const end = (): void => void sending.destroy(asError(signal.reason));
    signal.addEventListener('abort', end, { once: true });
    sending.once('close', () => signal.removeEventListener('abort', end));
    sending.on('response', resolve).on('error', reject);
    if (asked.body === null) sending.end();
    // A daemon may answer before it has read the body. Its answer counts.
    else sendBody(asked.body, sending).catch((error: Error) => sending.destroy(error));
    try {
      return responseOf(await promise, asked);
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw new TypeError('fetch failed', { cause });
    }
  };
}

/** The length of a body that is not a stream. */
function lengthOf(body: unknown): number | undefined {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Blob) return body.size;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return body.byteLength;
  return undefined;
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

function responseOf(answer: IncomingMessage, { url, signal }: Request): Response {
  const { statusCode = 0, statusMessage = '' } = answer;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value);
  const isEmpty = withoutBody.has(statusCode);
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : bodyOf(answer, signal);
  const response = new Response(body, { status: statusCode, statusText: statusMessage, headers });
  // Errors name it. A response that a program makes has none.
  return Object.defineProperty(response, 'url', { value: url });
}

/** The body as it arrives. It fails as one of `fetch` does; a reader that cancels it ends the connection. */
function bodyOf(answer: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const parts = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (cause) {
        controller.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause }));
      }
    },
    cancel: () => void answer.destroy(),
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('canceled', { cause: reason });
}
