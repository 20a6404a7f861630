import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AppDeps } from '../app-deps.ts';
import { problem, problemMediaType } from './problem.ts';
import { recordRefusal } from './record-refusal.ts';
import { Refusal } from './refusal.ts';

const reasons: Readonly<Record<string, string>> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'its chunk extensions are larger than is read',
  HPE_HEADER_OVERFLOW: 'its headers are larger than is read',
  CONNECT: 'CONNECT is for proxies, and this is none',
  EXPECT: 'what its Expect header asks for is not done here; send it without',
  ERR_HTTP_REQUEST_TIMEOUT: 'it did not arrive whole in time',
};

/** What goes on over one connection. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Watches connections for what is no HTTP. */
export interface UnreadableRequests {
  /** Told of each request that has begun: what goes wrong on its connection before its body has ended is its own. */
  began(exchange: Exchange): void;
  /** Fastify's `clientErrorHandler`. */
  handle(error: UnreadableError, socket: Socket): void;
  /** For what Node would end or answer by itself, and nobody would know: a tunnel, or an `Expect` of some kind. */
  refuseUnasked(why: 'CONNECT' | 'EXPECT', request: IncomingMessage): void;
}

/** What Node says of it; `rawPacket` is the bytes that it was reading, where it was reading. */
interface UnreadableError extends NodeJS.ErrnoException {
  rawPacket?: unknown;
}

/** For a client to take the answer and to hang up. */
const lingerMs = 1000;

/** Handles what arrives on a connection and never becomes a request, for it is no HTTP or no end of it comes. */
export function unreadableRequests(deps: AppDeps): UnreadableRequests {
  const latest = new WeakMap<Socket, Exchange>();
  return {
    began(exchange) {
      latest.set(exchange.request.socket, exchange);
    },
    handle(error, socket) {
      const exchange = latest.get(socket);
      // In its turn: what is wrong with a body can be found before anybody has begun to read it.
      if (exchange?.request.complete === false) setImmediate(() => failBody(exchange, error, socket));
      // A connection that merely broke asked for nothing, nor did one on which nothing ever came.
      else if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) socket.destroy();
      // Its turn comes after the answer to what came before: the client would take this one for that.
      else if (exchange?.response.closed === false)
        exchange.response.once('close', () => void refuse(deps, socket, unreadable(error)));
      else void refuse(deps, socket, unreadable(error));
    },
    refuseUnasked(why, { socket, method }) {
      // Whoever asked may be gone before the answer.
      socket.on('error', () => undefined);
      void refuse(deps, socket, { errorCode: why, isHead: method === 'HEAD' });
    },
  };
}

/** Whoever reads the body refuses the request; when nobody does, it has been refused, and its answer is on the way. */
function failBody({ request, response }: Exchange, error: Error, socket: Socket): void {
  if (request.listenerCount('error') > 0) request.emit('error', error);
  else if (response.writableEnded) socket.destroySoon();
  else response.once('finish', () => socket.destroySoon());
}

interface Unreadable {
  errorCode: string;
  /** Its answer has no body (RFC 9110, 9.3.2): a client takes one for an answer that it did not ask for. */
  isHead: boolean;
}

/** Nobody has read the method of what cannot be read; most requests come in one piece, which begins with it. */
function unreadable({ code = '', rawPacket }: UnreadableError): Unreadable {
  const begins =
    rawPacket instanceof Uint8Array ? Buffer.from(rawPacket.subarray(0, 5)).toString('latin1') : '';
  return { errorCode: code, isHead: begins === 'HEAD ' };
}

async function refuse(deps: AppDeps, socket: Socket, { errorCode, isHead }: Unreadable): Promise<void> {
  const executionId = deps.newExecutionId();
  const reason = reasons[errorCode] ?? `it is not HTTP (${errorCode})`;
  const refusal = await recordRefusal(
    deps,
    { executionId, actor: null, request: 'unreadable' },
    new Refusal('REQUEST_UNREADABLE', `the request cannot be read: ${reason}`),
  );
  const answer = problem(refusal, executionId);
  deps.logger.info({ executionId, status: answer.status, code: answer.code }, 'request');
  const body = JSON.stringify(answer);
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\nconnection: close\r\ncache-control: no-store\r\n` +
      `x-content-type-options: nosniff\r\ncontent-type: ${problemMediaType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${isHead ? '' : body}`,
  );
  // A client that still sends would not read the answer if it were cut off at once, and one that never ends would stay.
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(linger));
}
