import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problemMediaType } from '@ambit/api';
import { Refusal } from '../../errors/refusal.ts';
import { problem } from '../problem/problem.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { recordRefusal } from './record-refusal.ts';

const reasons: Readonly<Record<string, string>> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'cannot read the request: its chunk extensions are too large',
  HPE_HEADER_OVERFLOW: 'cannot read the request: its headers are too large',
  CONNECT: 'CONNECT is not supported; this server is not a proxy',
  EXPECT: 'the Expect header is not supported; send the request without it',
  ERR_HTTP_REQUEST_TIMEOUT: 'cannot read the request: it did not arrive in time',
};

/** A request on a connection, with its response. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Watches connections for input that is not HTTP. */
export interface UnreadableRequests {
  /**
   * Call it for each request that begins: a connection error before the end of its body belongs to
   * it.
   */
  began(exchange: Exchange): void;
  /** Fastify's `clientErrorHandler`. */
  handle(error: UnreadableError, socket: Socket): void;
  /**
   * For requests that Node would end or answer itself, without a record: a tunnel, or an unknown
   * `Expect`.
   */
  refuseUnasked(why: 'CONNECT' | 'EXPECT', request: IncomingMessage): void;
}

/** An error from Node; `rawPacket` has the bytes that failed to parse, if any. */
interface UnreadableError extends NodeJS.ErrnoException {
  rawPacket?: unknown;
}

/** Time for a client to read the response and disconnect. */
const lingerMs = 1000;

/** Answers input that never becomes a request: not HTTP, or incomplete. */
export function unreadableRequests(deps: AppDeps): UnreadableRequests {
  const latest = new WeakMap<Socket, Exchange>();
  return {
    began(exchange) {
      latest.set(exchange.request.socket, exchange);
    },
    handle(error, socket) {
      const exchange = latest.get(socket);
      // A body error can be found before anything has begun to read the body.
      if (exchange?.request.complete === false) setImmediate(() => failBody(exchange, error, socket));
      // A connection that broke, or on which nothing arrived, made no request.
      else if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else if (socket.bytesRead === 0) setImmediate(() => destroyUnread(socket));
      // Wait for the previous response: the client would take this one for it.
      else if (exchange?.response.closed === false)
        exchange.response.once('close', () => void refuse(deps, socket, unreadable(error)));
      else void refuse(deps, socket, unreadable(error));
    },
    refuseUnasked(why, { socket, method }) {
      // The client may disconnect before the response.
      socket.on('error', () => undefined);
      void refuse(deps, socket, { errorCode: why, isHead: method === 'HEAD' });
    },
  };
}

/**
 * Destroys a connection on which nothing has arrived. Node checks its timeouts before it reads, so after a busy moment a
 * request may be waiting; by now it was read, and its own time limit runs.
 */
function destroyUnread(socket: Socket): void {
  if (socket.bytesRead === 0) socket.destroy();
}

/**
 * If something reads the body, it refuses the request. Otherwise the request has been refused
 * already, and its response is being sent.
 */
function failBody({ request, response }: Exchange, error: Error, socket: Socket): void {
  if (request.listenerCount('error') > 0) request.emit('error', error);
  else if (response.writableEnded) socket.destroySoon();
  else response.once('finish', () => socket.destroySoon());
}

interface Unreadable {
  errorCode: string;
  /**
   * The response to HEAD has no body (RFC 9110, 9.3.2): a client would take one for the next
   * response.
   */
  isHead: boolean;
}

/**
 * An unreadable request has no parsed method. Most requests arrive in one piece that begins with
 * it.
 */
function unreadable({ code = '', rawPacket }: UnreadableError): Unreadable {
  const begins =
    rawPacket instanceof Uint8Array ? Buffer.from(rawPacket.subarray(0, 5)).toString('latin1') : '';
  return { errorCode: code, isHead: begins === 'HEAD ' };
}

async function refuse(deps: AppDeps, socket: Socket, { errorCode, isHead }: Unreadable): Promise<void> {
  const executionId = deps.newExecutionId();
  const reason = reasons[errorCode] ?? `cannot read the request: it is not HTTP (${errorCode})`;
  const refusal = await recordRefusal(
    deps,
    { executionId, via: 'http', actor: null, request: 'unreadable' },
    new Refusal('REQUEST_UNREADABLE', reason),
  );
  const answer = problem(refusal, executionId);
  deps.logger.info({ executionId, status: answer.status, code: answer.code }, 'request');
  const body = JSON.stringify(answer);
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nconnection: close\r\ncache-control: no-store\r\n` +
      `x-content-type-options: nosniff\r\ncontent-type: ${problemMediaType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${isHead ? '' : body}`,
  );
  // A client that still sends would miss the response if the connection were closed immediately. A
  // client that never stops is cut off.
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(linger));
}
