import { Readable } from 'node:stream';
import { readAuthority } from '@ambit/core/egress';
import type { CallParts } from './call/call-parts.ts';
import { asProxyError, ProxyError, ResponseTooLarge } from './call/refusal.ts';
import { deadline } from './http/deadline.ts';
import { exchange } from './http/exchange.ts';

/** A request of a skill without sockets. */
export interface ProxyRequest {
  method: string;
  /** `http://` or `https://`, without user info. Its path and query are sent unchanged. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Empty: no body. */
  body: Uint8Array;
  /** The longest body that is received. Absent: what the call may still receive. */
  responseBytesMax?: number;
}

/** The response. The values of a repeated header are joined with a comma. */
export interface ProxyResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Sends one request. Throws `ProxyRefusal` if it is not granted, `ProxyError` if it fails. */
export async function callRequest(
  call: CallParts,
  { method, url, headers, body, responseBytesMax = Number.POSITIVE_INFINITY }: ProxyRequest,
): Promise<ProxyResponse> {
  const to = originOf(url);
  const { signal, clear } = deadline(call.limits.timeoutMs, call.closed);
  try {
    const answer = await exchange(
      call,
      {
        ...to,
        method: readMethod(method),
        headers: [
          ...Object.entries(headers).filter(([name]) => !/^(?:content-length|host)$/i.test(name)),
          ...(body.length > 0 ? [['content-length', String(body.length)] as const] : []),
        ],
        body: body.length > 0 ? Readable.from([Buffer.from(body)]) : undefined,
      },
      signal,
    );
    const received = await boundedBuffer(answer.body, responseBytesMax);
    return { status: answer.status, headers: joinRepeated(answer.headers), body: received };
  } catch (error) {
    throw signal.aborted
      ? asProxyError(signal.reason, to.host)
      : asProxyError(error, `${to.host}:${to.port}`);
  } finally {
    clear();
  }
}

async function boundedBuffer(body: Readable, bytesMax: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the stream, and ends the connection.
  for await (const piece of body) {
    bytes += (piece as Buffer).length;
    if (bytes > bytesMax) throw new ResponseTooLarge('a request', bytesMax);
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

function originOf(url: string): { scheme: 'http' | 'https'; host: string; port: number; target: string } {
  const parts = /^(https?):\/\/([^/?#]*)([^#]*)(?:#.*)?$/i.exec(url);
  const scheme = parts?.[1]?.toLowerCase() === 'http' ? 'http' : 'https';
  const to = readAuthority(parts?.[2] ?? '', scheme === 'http' ? 80 : 443);
  const rest = parts?.[3] ?? '';
  if (to === undefined || /[^\x21-\x7e]|\\/.test(rest)) {
    throw new ProxyError(
      400,
      'invalid URL: use http:// or https://, a host without user info, and a path in ASCII',
    );
  }
  return { scheme, ...to, target: rest.startsWith('/') ? rest : `/${rest}` };
}

function readMethod(method: string): string {
  if (!/^[A-Z]{1,20}$/.test(method))
    throw new ProxyError(400, 'invalid method: use upper-case letters, such as GET');
  return method;
}

function joinRepeated(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, all]) => [name, all.map(([, value]) => value).join(', ')]),
  );
}
