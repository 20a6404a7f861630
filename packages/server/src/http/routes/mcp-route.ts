import { Readable } from 'node:stream';
import { mcpContracts } from '@ambit/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callSignal, whenClosed } from '../connections/when-closed.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { rightsOf } from '../route/request-state.ts';
import { route } from '../route/route.ts';

/** `/mcp`: the Model Context Protocol over streamable HTTP, with the checks of every route. */
export function mcpRoute(app: FastifyInstance, deps: AppDeps): void {
  const handle = async (body: unknown, request: FastifyRequest, reply: FastifyReply) => {
    whenClosed(reply, deps.jobs.hold(rightsOf(request).actor, request.bodyBytes));
    const response = await deps.mcp(webRequest(request, reply, deps), rightsOf(request), body);
    // Refusals in protocol messages have been recorded already.
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    // Otherwise Fastify would send the missing body as the JSON `null`.
    if (response.body === null) return reply.removeHeader('content-type').send();
    return reply.send(Readable.fromWeb(begun(response, response.body)));
  };
  route(app, mcpContracts.sendMcpMessage, (_, request, reply) => handle(request.body, request, reply));
  route(app, mcpContracts.listenToMcp, (_, request, reply) => handle(undefined, request, reply));
  route(app, mcpContracts.endMcpSession, (_, request, reply) => handle(request.body, request, reply));
}

/** The request without its body, which has been read already. */
function webRequest(request: FastifyRequest, reply: FastifyReply, { shutdown }: AppDeps): Request {
  const { method, headers, host, originalUrl } = request;
  const webHeaders = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && name !== 'content-length') webHeaders.set(name, value);
  }
  return new Request(new URL(originalUrl, `http://${host}`), {
    method,
    headers: webHeaders,
    signal: callSignal(reply, shutdown),
  });
}

/**
 * Starts an event stream with a comment: headers are sent with the first bytes, and clients wait
 * for them.
 */
function begun({ headers }: Response, body: ReadableStream): ReadableStream {
  if (headers.get('content-type') !== 'text/event-stream') return body;
  const start = (stream: TransformStreamDefaultController): void => stream.enqueue(Buffer.from(':\n\n'));
  return body.pipeThrough(new TransformStream({ start }));
}
