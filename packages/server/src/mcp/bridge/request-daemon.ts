import { type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { DaemonAccess } from './forward-error.ts';
import { messageText } from './message-text.ts';

/** How a client is known at the daemon; empty for one whose requests each stand for themselves. */
export interface Session {
  id?: string;
  version?: string;
}

/**
 * A request to the daemon's `/mcp`. Each has a connection of its own, which is how the daemon learns that it was canceled,
 * and may take as long as the call takes. Resolves when the answer's headers have come; rejects as `node:http` does.
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
    ...(message === undefined ? {} : { 'content-type': 'application/json', ...saidTwice(message) }),
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

/** The headers in which a request of 2026 repeats its body (SEP-2243); none for any other message. */
function saidTwice(message: JSONRPCMessage): Record<string, string> {
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
