import { type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { DaemonAccess } from './forward-error.ts';

/** A client's session with the daemon; empty for independent requests. */
export interface Session {
  id?: string;
  version?: string;
}

/**
 * Sends a request to the daemon's `/mcp`. Each has its own connection, because disconnecting
 * cancels it, and no timeout of its own. Resolves when the response headers arrive; rejects like
 * `node:http`.
 */
export function requestDaemon(
  { url, key, tls }: DaemonAccess,
  method: 'GET' | 'POST' | 'DELETE',
  { id, version }: Session,
  signal: AbortSignal,
  message?: JSONRPCMessage,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    authorization: `Bearer ${key}`,
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(message === undefined ? {} : { 'content-type': 'application/json', ...repeatedHeaders(message) }),
  };
  const address = new URL('/mcp', url);
  const begin = address.protocol === 'https:' ? requestOverTls : request;
  begin(address, { ...tls, method, headers, agent: false, signal })
    .on('response', resolve)
    .on('error', reject)
    .end(message === undefined ? undefined : messageText(message));
  return promise;
}

const namedBy: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * The headers in which a request of version 2026 repeats parts of its body (SEP-2243); none for
 * other messages.
 */
function repeatedHeaders(message: JSONRPCMessage): Record<string, string> {
  if (!isJSONRPCRequest(message)) return {};
  const { method, params } = message;
  const version = params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return {};
  const name = params?.[namedBy[method] ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` } : {}),
  };
}

/** Part of ECMAScript, but not yet of TypeScript's library. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * A message in JSON. An infinite number is written as `1e999`, so that the daemon refuses it with a
 * record; `JSON.stringify` would write `null`.
 */
function messageText(message: JSONRPCMessage): string {
  return JSON.stringify(message, (_, value: unknown) => {
    if (value === Number.POSITIVE_INFINITY) return rawJSON('1e999');
    return value === Number.NEGATIVE_INFINITY ? rawJSON('-1e999') : value;
  });
}
