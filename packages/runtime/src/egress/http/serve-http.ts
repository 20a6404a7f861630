import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Origin, readAuthority } from '@ambit/core/egress';
import type { CallParts } from '../call/call-parts.ts';
import { asProxyError, ProxyError } from '../call/refusal.ts';
import { answerRefusal, writeRefusal } from './answer-refusal.ts';
import { deadline } from './deadline.ts';
import { type ExchangeRequest, exchange } from './exchange.ts';
import { headerList, valuesOf } from './headers.ts';

/** The way to serve a connection. */
export interface HttpMode {
  /**
   * The destination of the tunnel. Absent for the proxy itself, where each request names its own.
   */
  tunnelTo?: Origin;
  /** Handles `CONNECT`; absent inside tunnels. */
  onConnect?: (request: IncomingMessage, connection: Duplex, head: Buffer) => void;
}

/** The time that a connection may be idle, in milliseconds, also before its first request. */
export const connectionIdleMs = 10_000;
const headerBytesMax = 32 * 1024;

/**
 * Serves HTTP/1.1 on a connection from the sandbox. Node's strict parser reads each request, and a
 * new request is generated from the result, so a server never receives bytes as a program wrote
 * them.
 */
export function serveHttp(call: CallParts, connection: Duplex, { tunnelTo, onConnect }: HttpMode): void {
  let inFlight = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  const startIdleTimer = (): void => {
    idleTimer = setTimeout(() => connection.destroy(), connectionIdleMs);
  };
  const server = createServer({ maxHeaderSize: headerBytesMax, insecureHTTPParser: false });
  // All headers must be visible: a silently dropped one might be a second Host.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => {
    clearTimeout(idleTimer);
    inFlight++;
    response.on('close', () => {
      if (--inFlight === 0 && !connection.destroyed) startIdleTimer();
    });
    void answerRequest(call, request, response, tunnelTo);
  });
  server.on('connect', (request, socket, head) => {
    clearTimeout(idleTimer);
    if (onConnect !== undefined) onConnect(request, socket, head);
    else
      writeRefusal(
        socket,
        new ProxyError(405, 'a tunnel leads to one host; CONNECT is not supported inside it'),
      );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET') writeRefusal(socket, parserError(error));
    else socket.destroy();
  });
  connection.on('close', () => clearTimeout(idleTimer));
  startIdleTimer();
  server.emit('connection', connection);
}

function parserError({ code }: NodeJS.ErrnoException): ProxyError {
  return code === 'HPE_HEADER_OVERFLOW'
    ? new ProxyError(431, `headers too large: a request may have ${headerBytesMax} bytes of headers`)
    : new ProxyError(400, 'malformed or ambiguous HTTP/1.1 request');
}

async function answerRequest(
  call: CallParts,
  request: IncomingMessage,
  response: ServerResponse,
  tunnelTo: Origin | undefined,
): Promise<void> {
  const { signal, clear } = deadline(call.limits.timeoutMs, call.closed);
  const gone = new AbortController();
  response.on('close', () => gone.abort(new ProxyError(499, 'the program closed the connection')));
  try {
    const incoming = readRequest(call, request, tunnelTo);
    const { status, headers, body } = await exchange(call, incoming, AbortSignal.any([signal, gone.signal]));
    response.writeHead(status, headers.flat());
    await pipeline(body, response);
  } catch (error) {
    const known = asProxyError(error, 'the server');
    call.ledger.refused(known);
    answerRefusal(response, known);
  } finally {
    clear();
  }
}

function readRequest(
  call: CallParts,
  request: IncomingMessage,
  tunnelTo: Origin | undefined,
): ExchangeRequest {
  const headers = headerList(request.rawHeaders);
  const written = request.url ?? '';
  if (/[^\x21-\x7e]|#/.test(written))
    throw new ProxyError(400, 'invalid request target: use ASCII without a fragment');
  const { target, ...origin } =
    tunnelTo === undefined ? absoluteForm(written) : originForm(written, tunnelTo, request.method);
  const hosts = valuesOf(headers, 'host');
  if (hosts.length > 1) throw new ProxyError(400, 'more than one Host header');
  if (hosts[0] !== undefined) refuseOtherHost(call, hosts[0], origin);
  if (valuesOf(headers, 'transfer-encoding').some((encoding) => !/^chunked$/i.test(encoding.trim()))) {
    throw new ProxyError(400, 'unsupported transfer encoding: use chunked or none');
  }
  const hasBody = ['content-length', 'transfer-encoding'].some((name) => valuesOf(headers, name).length > 0);
  return {
    ...origin,
    target,
    method: request.method ?? '',
    headers,
    body: hasBody ? detachedBody(request) : undefined,
  };
}

/** A separate stream: destroying it leaves the connection open for the error response. */
function detachedBody(request: IncomingMessage): Readable {
  return request.pipe(new PassThrough());
}

/** `http://host[:port]/path`, the form for proxies (RFC 9112, section 3.2.2). TLS uses CONNECT. */
function absoluteForm(written: string): Origin & { target: string } {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)(.*)$/i.exec(written);
  if (parts === null) throw new ProxyError(400, 'this is a proxy: request http://host/path, or use CONNECT');
  const [, scheme = '', authority = '', rest = ''] = parts;
  if (scheme.toLowerCase() !== 'http') {
    throw new ProxyError(400, `${scheme}: URLs need a tunnel; use CONNECT to the host first`);
  }
  const to = readAuthority(authority, 80);
  if (to === undefined) throw new ProxyError(400, 'ambiguous host in the request');
  return { scheme: 'http', ...to, target: rest.startsWith('/') ? rest : `/${rest}` };
}

function originForm(written: string, to: Origin, method: string | undefined): Origin & { target: string } {
  if (!written.startsWith('/') && !(written === '*' && method === 'OPTIONS')) {
    throw new ProxyError(400, 'inside a tunnel, request a path');
  }
  return { ...to, target: written };
}

function refuseOtherHost(call: CallParts, written: string, { scheme, host, port }: Origin): void {
  const named = readAuthority(written, scheme === 'http' ? 80 : 443);
  if (named?.host === host && named.port === port) return;
  if (named === undefined) throw new ProxyError(400, 'ambiguous Host header');
  const remedy = `no grant allows this; send the Host header ${host}:${port}`;
  throw call.refuse(
    { ...named, remedy },
    `is the Host header of a request to ${host}:${port}`,
    undefined,
    421,
  );
}
