import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppDeps } from '../app-deps.ts';
import { rightsOf } from '../request-state.ts';
import { callSignal } from './call-signal.ts';

/** `/mcp`: the Model Context Protocol over streamable HTTP, behind the same checks as every route. */
export function mcpRoute(app: FastifyInstance, deps: AppDeps): void {
  app.route({
    method: ['POST', 'GET', 'DELETE'],
    url: '/mcp',
    async handler(request, reply) {
      const response = await deps.mcp(webRequest(request, reply, deps), rightsOf(request), request.body);
      // A refusal in the protocol's own words has its record by now.
      reply.code(response.status).headers(Object.fromEntries(response.headers));
      return reply.send(response.body === null ? null : Readable.fromWeb(begun(response, response.body)));
    },
  });
}

/** The request without its body, which has been read. */
function webRequest(request: FastifyRequest, reply: FastifyReply, { shutdown }: AppDeps): Request {
  const { method, headers, host, originalUrl } = request;
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && name !== 'content-length') given.set(name, value);
  }
  return new Request(new URL(originalUrl, `http://${host}`), {
    ...{ method, headers: given },
    signal: callSignal(reply, shutdown),
  });
}

/** An event stream begins with a comment: its headers go out with the first bytes, and its client waits for them. */
function begun({ headers }: Response, body: ReadableStream): ReadableStream {
  if (headers.get('content-type') !== 'text/event-stream') return body;
  const start = (stream: TransformStreamDefaultController): void => stream.enqueue(Buffer.from(':\n\n'));
  return body.pipeThrough(new TransformStream({ start }));
}
