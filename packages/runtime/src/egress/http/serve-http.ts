import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Origin, readAuthority } from '@ambit/core/internal';
import type { CallParts } from '../call-parts.ts';
import { asProxyError, ProxyError } from '../refusal.ts';
import { answerRefusal, writeRefusal } from './answer-refusal.ts';
import { deadline } from './deadline.ts';
import { type ExchangeRequest, exchange } from './exchange.ts';
import { headerList, valuesOf } from './headers.ts';

/** How a connection is spoken to. */
export interface HttpMode {
  /** Who is at the other end of a tunnel; nothing for the proxy itself, where each request says so. */
  tunnelTo?: Origin;
  /** What to do with `CONNECT`; tunnels have none. */
  onConnect?: (request: IncomingMessage, connection: Duplex, head: Buffer) => void;
}

/** How long a program may take to say what it wants, and may leave a connection unused, in milliseconds. */
export const unusedMs = 10_000;
const headerBytesMax = 32 * 1024;

/**
 * Speaks HTTP/1.1 on a connection from inside. Node's parser reads each request, strictly, and another request is generated
 * from what it read: nothing that a program writes reaches a server as it was written.
 */
export function serveHttp(call: CallParts, connection: Duplex, { tunnelTo, onConnect }: HttpMode): void {
  let inFlight = 0;
  let unused: NodeJS.Timeout | undefined;
  const waiting = (): void => {
    unused = setTimeout(() => connection.destroy(), unusedMs);
  };
  const server = createServer({ maxHeaderSize: headerBytesMax, insecureHTTPParser: false });
  // Whatever there is must be seen: what is cut off silently might have been the second Host.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => {
    clearTimeout(unused);
    inFlight++;
    response.on('close', () => {
      if (--inFlight === 0 && !connection.destroyed) waiting();
    });
    void answerRequest(call, request, response, tunnelTo);
  });
  server.on('connect', (request, socket, head) => {
    clearTimeout(unused);
    if (onConnect !== undefined) onConnect(request, socket, head);
    else writeRefusal(socket, new ProxyError(405, 'a tunnel leads to one host, and to no other proxy'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET') writeRefusal(socket, unreadable(error));
    else socket.destroy();
  });
  connection.on('close', () => clearTimeout(unused));
  waiting();
  server.emit('connection', connection);
}

function unreadable({ code }: NodeJS.ErrnoException): ProxyError {
  return code === 'HPE_HEADER_OVERFLOW'
    ? new ProxyError(431, `a request's headers have at most ${headerBytesMax} bytes`)
    : new ProxyError(400, 'this is no HTTP/1.1 request that can be read in only one way');
}

async function answerRequest(
  call: CallParts,
  request: IncomingMessage,
  response: ServerResponse,
  tunnelTo: Origin | undefined,
): Promise<void> {
  const { signal, clear } = deadline(call.limits.timeoutMs, call.closed);
  const gone = new AbortController();
  response.on('close', () => gone.abort(new ProxyError(499, 'the program went away')));
  try {
    const asked = readRequest(call, request, tunnelTo);
    const { status, headers, body } = await exchange(call, asked, AbortSignal.any([signal, gone.signal]));
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
    throw new ProxyError(400, 'a request target is plain ASCII, without a fragment');
  const { target, ...origin } =
    tunnelTo === undefined ? absoluteForm(written) : originForm(written, tunnelTo, request.method);
  const hosts = valuesOf(headers, 'host');
  if (hosts.length > 1) throw new ProxyError(400, 'a request names its host once');
  if (hosts[0] !== undefined) refuseOtherHost(call, hosts[0], origin);
  if (valuesOf(headers, 'transfer-encoding').some((encoding) => !/^chunked$/i.test(encoding.trim()))) {
    throw new ProxyError(400, 'a body is sent as it is or in chunks, and in no other encoding');
  }
  const hasBody = ['content-length', 'transfer-encoding'].some((name) => valuesOf(headers, name).length > 0);
  return {
    ...origin,
    target,
    method: request.method ?? '',
    headers,
    body: hasBody ? apart(request) : undefined,
  };
}

/** A body that can be given up without giving up the connection, on which the refusal has still to be told. */
function apart(request: IncomingMessage): Readable {
  return request.pipe(new PassThrough());
}

/** `http://host[:port]/path`, as proxies are asked (RFC 9112, section 3.2.2). What is to be TLS comes by CONNECT. */
function absoluteForm(written: string): Origin & { target: string } {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)(.*)$/i.exec(written);
  if (parts === null)
    throw new ProxyError(400, 'this is a proxy: ask it for http://host/path, or to CONNECT');
  const [, scheme = '', authority = '', rest = ''] = parts;
  if (scheme.toLowerCase() !== 'http') {
    throw new ProxyError(400, `${scheme}: is not asked of a proxy in this way; CONNECT to the host first`);
  }
  const to = readAuthority(authority, 80);
  if (to === undefined) throw new ProxyError(400, 'the host in the request can be read in more than one way');
  return { scheme: 'http', ...to, target: rest.startsWith('/') ? rest : `/${rest}` };
}

function originForm(written: string, to: Origin, method: string | undefined): Origin & { target: string } {
  if (!written.startsWith('/') && !(written === '*' && method === 'OPTIONS')) {
    throw new ProxyError(400, 'within a tunnel, ask for a path');
  }
  return { ...to, target: written };
}

function refuseOtherHost(call: CallParts, written: string, { scheme, host, port }: Origin): void {
  const named = readAuthority(written, scheme === 'http' ? 80 : 443);
  if (named?.host === host && named.port === port) return;
  if (named === undefined) throw new ProxyError(400, 'the Host header can be read in more than one way');
  const remedy = `no grant does; name the host that is asked in the Host header: ${host}:${port}`;
  throw call.refuse(
    { ...named, remedy },
    `is named as the host of a request to ${host}:${port}`,
    undefined,
    421,
  );
}
