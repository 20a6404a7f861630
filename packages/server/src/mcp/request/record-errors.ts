import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  type McpServer,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ProtocolFault } from '../large-message.ts';
import type { McpCaller, McpDeps } from './mcp-deps.ts';
import { recordRefused } from './refused.ts';

/**
 * Prepares a server, before it is connected, to record each request that it answers with a protocol
 * error, including errors of the SDK such as an unknown method. `recorded` is called with each
 * error code.
 */
export function recordErrors(
  deps: McpDeps,
  caller: McpCaller,
  { server }: McpServer,
  recorded: (code: number) => void,
): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    watch(transport, async (request, sent) => {
      const error = withReadableMessage(sent);
      recorded(error.code);
      const refusal = { code: codeOf(error), message: error.message };
      const { message } = await recordRefused(deps, caller, request, refusal);
      return message === error.message ? error : { code: ProtocolErrorCode.InternalError, message };
    });
    await connect(transport);
  };
}

/**
 * Replaces every outgoing error with the result of `answer`, which gets a description of the
 * request.
 */
function watch(
  transport: Transport,
  answer: (request: string, error: ProtocolFault) => Promise<ProtocolFault>,
): void {
  const open = new Map<RequestId, string>();
  transport.onmessage = (message) => {
    if (!isJSONRPCRequest(message)) return;
    // Programs write null for what they do not have. The SDK reads this same object afterwards.
    if (message.params?.['cursor'] === null) delete message.params['cursor'];
    open.set(message.id, describeRequest(message));
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!('id' in message) || message.id === undefined || 'method' in message) return send(message, options);
    const request = open.get(message.id) ?? 'a request';
    open.delete(message.id);
    if (!isJSONRPCErrorResponse(message)) return send(message, options);
    return send({ ...message, error: await answer(request, message.error) }, options);
  };
}

/** The method, and the name or URI in its parameters. */
function describeRequest({
  method,
  params,
}: {
  method: string;
  params?: Record<string, unknown> | undefined;
}): string {
  const named = [params?.['name'], params?.['uri']].find((each) => typeof each === 'string');
  return named === undefined ? method : `${method} ${named}`;
}

/** The error with a sentence in place of the list of issues that the SDK sends for invalid parameters. */
function withReadableMessage(error: ProtocolFault): ProtocolFault {
  const issues = Issues.safeParse(error.message);
  if (!issues.success) return error;
  const [first] = issues.data;
  return {
    code: ProtocolErrorCode.InvalidParams,
    message: `the request is invalid: ${first.path.join('.')}: ${first.message}`,
  };
}

const Issues = z
  .string()
  .startsWith('[')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('it is no list');
      return z.NEVER;
    }
  })
  .pipe(
    z.tuple(
      [z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })],
      z.unknown(),
    ),
  );

/** The Ambit code in an error, if it has one. */
function codeOf({ code, data }: ProtocolFault): string {
  const own = (data as { code?: unknown } | undefined)?.code;
  if (typeof own === 'string') return own;
  return code === ProtocolErrorCode.InternalError ? 'INTERNAL' : 'REQUEST_INVALID';
}
