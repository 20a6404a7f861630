import { type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { DaemonAccess } from './forward-error.ts';
import { isRequest, metaKeys } from './message.ts';

/** A client's session with the daemon; empty for independent requests. */
export interface Session {
  id?: string;
  version?: string | undefined;
}

/**
 * Sends a request to the daemon's `/mcp`. Each has its own connection, because disconnecting
 * cancels it, and no timeout of its own. Resolves when the response headers arrive; rejects like
 * `node:http`.
 */
export function requestDaemon(
  { url, key, socketPath, tls }: DaemonAccess,
  method: 'GET' | 'POST' | 'DELETE',
  { id, version }: Session,
  signal: AbortSignal,
  message?: JSONRPCMessage,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers: Record<string, string> = {
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
  };
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
  if (id !== undefined) headers['mcp-session-id'] = id;
  if (version !== undefined) headers['mcp-protocol-version'] = version;
  const address = new URL('/mcp', socketPath === undefined ? url : 'http://localhost');
  const begin = address.protocol === 'https:' ? requestOverTls : request;
  // The version that a message names replaces the session's.
  const sent = { ...headers, ...bodyHeaders(message) };
  begin(address, { ...tls, socketPath, method, headers: sent, agent: false, signal })
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

/** The headers of a body. A request of version 2026 repeats parts of it in them (SEP-2243). */
function bodyHeaders(message: JSONRPCMessage | undefined): Record<string, string> {
  if (message === undefined) return {};
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (!isRequest(message)) return headers;
  const { method, params } = message;
  const version = params?._meta?.[metaKeys.version];
  if (typeof version !== 'string') return headers;
  headers['mcp-protocol-version'] = version;
  headers['mcp-method'] = method;
  const name = params?.[namedBy[method] ?? ''];
  if (typeof name === 'string') headers['mcp-name'] = `=?base64?${Buffer.from(name).toString('base64')}?=`;
  return headers;
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
