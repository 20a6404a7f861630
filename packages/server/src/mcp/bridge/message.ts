import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCRequest,
  JSONRPCResponse,
} from '@modelcontextprotocol/server';

// `ambit mcp` only passes messages on, and the daemon checks them. The MCP library has these guards too, with a schema of each
// message, and takes longer to load than the rest of the command.

/** Keys of `_meta` in messages of version 2026. */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const;

/** The code of JSON-RPC for an internal error. */
export const internalError = -32_603;

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

export function isResponse(message: JSONRPCMessage): message is JSONRPCResponse {
  return !('method' in message);
}

export function isErrorResponse(message: JSONRPCMessage): message is JSONRPCErrorResponse {
  return 'error' in message;
}

/** The message in a JSON text. Throws a `SyntaxError`, or a `TypeError` for JSON that is no message. */
export function readMessage(text: string): JSONRPCMessage {
  const value: unknown = JSON.parse(text);
  if (isMessage(value)) return value;
  throw new TypeError('not a message of JSON-RPC 2.0');
}

export function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, params, result, error } = value;
  const isIdentified = typeof id === 'string' || Number.isSafeInteger(id);
  if (typeof method === 'string')
    return (isIdentified || !('id' in value)) && (params === undefined || isObject(params));
  // The error of a request that could not be read has no id.
  if (isObject(error))
    return (
      (isIdentified || id === undefined) &&
      Number.isSafeInteger(error['code']) &&
      typeof error['message'] === 'string'
    );
  return isIdentified && isObject(result);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
