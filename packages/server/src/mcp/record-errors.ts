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
 * Has a server, before it is connected, leave one record of each request that it answers with an error of the protocol:
 * also of those that no code of ours has seen, such as an unknown method. `recorded` is called for each, with the code of the
 * protocol.
 */
export function recordErrors(
  deps: McpDeps,
  caller: McpCaller,
  { server }: McpServer,
  recorded: (code: number) => void,
): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    watch(transport, async (asked, error) => {
      recorded(error.code);
      const refusal = { code: codeOf(error), message: error.message };
      const { message } = await recordRefused(deps, caller, asked, refusal);
      return message === error.message ? error : { code: ProtocolErrorCode.InternalError, message };
    });
    await connect(transport);
  };
}

type ProtocolFault = Extract<JSONRPCMessage, { error: unknown }>['error'];

/** Has every error that goes out be what `answer` makes of it, which is told what was asked. */
function watch(
  transport: Transport,
  answer: (asked: string, error: ProtocolFault) => Promise<ProtocolFault>,
): void {
  const open = new Map<RequestId, string>();
  transport.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.set(message.id, askedFor(message));
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if (!('id' in message) || message.id === undefined || 'method' in message) return send(message, options);
    const asked = open.get(message.id) ?? 'a request';
    open.delete(message.id);
    if (!isJSONRPCErrorResponse(message)) return send(message, options);
    return send({ ...message, error: await answer(asked, message.error) }, options);
  };
}

/** The method, and the one thing that it names. */
function askedFor({
  method,
  params,
}: {
  method: string;
  params?: Record<string, unknown> | undefined;
}): string {
  const named = [params?.['name'], params?.['uri']].find((each) => typeof each === 'string');
  return named === undefined ? method : `${method} ${named}`;
}

/** The code that was put into the error, where it is one of ours. */
function codeOf({ code, data }: ProtocolFault): string {
  const own = (data as { code?: unknown } | undefined)?.code;
  if (typeof own === 'string') return own;
  return code === ProtocolErrorCode.InternalError ? 'INTERNAL' : 'REQUEST_INVALID';
}
