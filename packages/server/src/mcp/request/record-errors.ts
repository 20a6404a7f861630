import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpServer,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
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
    watch(transport, async (request, error) => {
      recorded(error.code);
      const refusal = { code: codeOf(error), message: error.message };
      const { message } = await recordRefused(deps, caller, request, refusal);
      return message === error.message ? error : { code: ProtocolErrorCode.InternalError, message };
    });
    await connect(transport);
  };
}

type ProtocolFault = Extract<JSONRPCMessage, { error: unknown }>['error'];

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
    if (isJSONRPCRequest(message)) open.set(message.id, describeRequest(message));
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

/** The Ambit code in an error, if it has one. */
function codeOf({ code, data }: ProtocolFault): string {
  const own = (data as { code?: unknown } | undefined)?.code;
  if (typeof own === 'string') return own;
  return code === ProtocolErrorCode.InternalError ? 'INTERNAL' : 'REQUEST_INVALID';
}
