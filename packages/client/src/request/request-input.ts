import { routes } from '../api/generated.ts';
import type { BodyOf, OperationId, QueryOf } from '../api/operation.ts';
import { UnsendableError } from '../failure/unsendable-error.ts';

/** The input for a route's request. */
export interface RequestInput<Id extends OperationId> {
  /** Path parameters by name. A string is one segment, whatever it contains; a list is several. */
  path?: Readonly<Record<string, string | readonly string[]>>;
  /** Fields that are `undefined` are not sent. */
  query?: QueryOf<Id> | undefined;
  body?: BodyOf<Id>;
  /** Used instead by routes that take bytes. */
  bytes?: Uint8Array | Blob | ReadableStream<Uint8Array>;
  headers?: Readonly<Record<string, string>>;
}

/**
 * Builds the request for a route, below `url`, with the caller's key. Throws an `UnsendableError`
 * for a parameter that would change the path, and for a number that is not finite.
 */
export function requestOf<Id extends OperationId>(
  { url, key }: { url: string; key: string | undefined },
  id: Id,
  { path = {}, query, body, bytes, headers }: RequestInput<Id>,
): { address: string; init: RequestInit } {
  const [method, pattern] = routes[id];
  return {
    address: `${url.replace(/\/+$/, '')}${filled(pattern, path)}${queryText(query ?? {})}`,
    init: {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(bytes === undefined ? {} : { 'content-type': 'application/octet-stream' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body, finite) }),
      ...(bytes === undefined ? {} : { body: bytes as NonNullable<RequestInit['body']> }),
      // Required for streams, and unknown to some type libraries.
      ...(isStream(bytes) ? { duplex: 'half' } : {}),
      // The daemon sends no redirects, and the key must not reach another server.
      redirect: 'manual',
    },
  };
}

/** Not every host of a client has the global `ReadableStream`. */
export function isStream(bytes: object | undefined): boolean {
  return bytes !== undefined && 'getReader' in bytes;
}

/** JSON would turn it into `null`, and the skill would receive that. */
function finite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new UnsendableError(
      `${JSON.stringify(key.slice(0, 200))} is ${value}, which JSON cannot represent: send a finite number`,
    );
  return value;
}

function filled(pattern: string, values: NonNullable<RequestInput<OperationId>['path']>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    [values[name] ?? ''].flat().map(segment).join('/'),
  );
}

/** A segment of dots changes the path, even percent-encoded (WHATWG URL, 4.5). */
function segment(value: string): string {
  if (/^\.{0,2}$/.test(value))
    throw new UnsendableError(`${JSON.stringify(value)} is not a valid name in a path`);
  return encodeURIComponent(value);
}

function queryText(query: object): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined);
  if (sent.length === 0) return '';
  return `?${new URLSearchParams(sent.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
