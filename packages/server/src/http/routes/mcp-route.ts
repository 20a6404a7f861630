import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { rightsOf } from '../request-state.ts';
import { bare, json } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';
import { whenClosed } from '../stream/when-closed.ts';
import { callSignal } from './calls/call-signal.ts';

/** What the endpoint says in JSON: answers and errors of JSON-RPC. The protocol has what is in them. */
const McpMessage = z
  .union([z.looseObject({}), z.array(z.looseObject({}))])
  .meta({ id: 'McpMessage', description: 'A message of JSON-RPC 2.0, as the protocol has it.' });

const events = {
  'text/event-stream': {
    description: 'Messages of the protocol.',
    each: z.object({ event: z.literal('message'), data: McpMessage }),
  },
};

const answers = {
  200: json("The protocol's answer.", McpMessage, { media: events }),
  202: bare('A notice was taken.'),
  204: bare('The session is over.'),
  400: json('Not as the protocol has it.', McpMessage),
  404: json('There is no such session.', McpMessage),
  405: json('This version of the protocol has no such method.', McpMessage),
  406: json('An `Accept` header without what is answered.', McpMessage),
  415: json('Not sent as JSON.', McpMessage),
  503: json('As many sessions as there may be.', McpMessage),
};

/** `/mcp`: the Model Context Protocol over streamable HTTP, behind the same checks as every route. */
export function mcpRoute(app: FastifyInstance, deps: AppDeps): void {
  const common = { url: '/mcp', scope: 'skills:read', group: 'MCP', query: 'anything' } as const;
  const rest = { answers, problems: [] };
  const handle = async (body: unknown, request: FastifyRequest, reply: FastifyReply) => {
    whenClosed(reply, deps.jobs.hold(rightsOf(request).actor, request.bodyBytes));
    const response = await deps.mcp(webRequest(request, reply, deps), rightsOf(request), body);
    // A refusal in the protocol's own words has its record by now.
    reply.code(response.status).headers(Object.fromEntries(response.headers));
    // Otherwise the nothing that is sent would be sent as what it was to be: the JSON `null`.
    if (response.body === null) return reply.removeHeader('content-type').send();
    return reply.send(Readable.fromWeb(begun(response, response.body)));
  };
  defineRoute(app, {
    ...{ method: 'POST', ...common, id: 'sendMcpMessage', summary: 'A message of the protocol' },
    description: 'For clients of the [Model Context Protocol](https://modelcontextprotocol.io).',
    body: z.unknown().describe('A message of JSON-RPC 2.0.'),
    bodyExample: { jsonrpc: '2.0', id: 1, method: 'ping' },
    ...rest,
    handle: (_, request, reply) => handle(request.body, request, reply),
  });
  defineRoute(app, {
    ...{ method: 'GET', ...common, id: 'listenToMcp', summary: 'What the server says by itself' },
    description: 'A stream of messages, in the protocols of 2025.',
    ...rest,
    handle: (_, request, reply) => handle(undefined, request, reply),
  });
  defineRoute(app, {
    ...{ method: 'DELETE', ...common, id: 'endMcpSession', summary: 'The end of a session' },
    description: 'Ends a session, in the protocols of 2025.',
    ...rest,
    handle: (_, request, reply) => handle(request.body, request, reply),
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
