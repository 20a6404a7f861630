import { z } from 'zod';
import { bare, json } from './answer.ts';
import { defineContracts } from './contract.ts';

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

const common = { url: '/mcp', scope: 'skills:read', query: 'anything', answers, problems: [] } as const;

/** The Model Context Protocol over streamable HTTP. */
export const mcpContracts = defineContracts('MCP', {
  sendMcpMessage: {
    method: 'POST',
    ...common,
    summary: 'Send a message',
    description: 'For clients of the [Model Context Protocol](https://modelcontextprotocol.io).',
    body: z.unknown().describe('A message of JSON-RPC 2.0.'),
    bodyExample: { jsonrpc: '2.0', id: 1, method: 'ping' },
  },
  listenToMcp: {
    method: 'GET',
    ...common,
    summary: 'Listen for messages',
    description: 'A stream of messages from the server, in protocol versions of 2025.',
  },
  endMcpSession: {
    method: 'DELETE',
    ...common,
    summary: 'End a session',
    description: 'Ends a session, in protocol versions of 2025.',
  },
});
