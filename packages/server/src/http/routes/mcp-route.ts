import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callSignal, whenClosed } from '../connections/when-closed.ts';
import { bare, json } from '../route/answer.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { defineRoute } from '../route/define-route.ts';
import { rightsOf } from '../route/request-state.ts';

/** JSON-RPC responses and errors. The protocol defines their contents. */
const McpMessage = z
  .union([z.looseObject({}), z.array(z.looseObject({}))])
  .meta({ id: 'McpMessage', description: 'A message of JSON-RPC 2.0, as the protocol defines it.' });

const events = {
  'text/event-stream': {
    description: 'Messages of the protocol.',
    each: z.object({ event: z.literal('message'), data: McpMessage }),
  },
};

const answers = {
  200: json("The protocol's response.", McpMessage, { media: events }),
  202: bare('The notification was accepted.'),
  204: bare('The session has ended.'),
  400: json('The message does not follow the protocol.', McpMessage),
  404: json('The session does not exist.', McpMessage),
  405: json('This version of the protocol does not support the method.', McpMessage),
  406: json('The `Accept` header allows none of the response types.', McpMessage),
  415: json('The body is not JSON.', McpMessage),
  503: json('The maximum number of sessions is open.', McpMessage),
};

/** `/mcp`: the Model Context Protocol over streamable HTTP, with the checks of every route. */
export function mcpRoute(app: FastifyInstance, deps: AppDeps): void {
  const common = { url: '/mcp', scope: 'skills:read', group: 'MCP', query: 'anything' } as const;
  const rest = { answers, problems: [] };
  const handle = async (body: unknown, request: FastifyRequest, reply: FastifyReply) => {
    whenClosed(reply, deps.jobs.hold(rightsOf(request).actor, request.bodyBytes));
    const response = await deps.mcp(webRequest(request, reply, deps), rightsOf(request), body);
    // Refusals in protocol messages have been recorded already.
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    // Otherwise Fastify would send the missing body as the JSON `null`.
    if (response.body === null) return reply.removeHeader('content-type').send();
    return reply.send(Readable.fromWeb(begun(response, response.body)));
  };
  defineRoute(app, {
    method: 'POST',
    ...common,
    id: 'sendMcpMessage',
    summary: 'Send a message',
    description: 'For clients of the [Model Context Protocol](https://modelcontextprotocol.io).',
    body: z.unknown().describe('A message of JSON-RPC 2.0.'),
    bodyExample: { jsonrpc: '2.0', id: 1, method: 'ping' },
    ...rest,
    handle: (_, request, reply) => handle(request.body, request, reply),
  });
  defineRoute(app, {
    method: 'GET',
    ...common,
    id: 'listenToMcp',
    summary: 'Listen for messages',
    description: 'A stream of messages from the server, in protocol versions of 2025.',
    ...rest,
    handle: (_, request, reply) => handle(undefined, request, reply),
  });
  defineRoute(app, {
    method: 'DELETE',
    ...common,
    id: 'endMcpSession',
    summary: 'End a session',
    description: 'Ends a session, in protocol versions of 2025.',
    ...rest,
    handle: (_, request, reply) => handle(request.body, request, reply),
  });
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
