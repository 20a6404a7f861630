import { routes } from '../api/generated.ts';
import type { BodyOf, OperationId, QueryOf } from '../api/operation.ts';
import { UnsendableError } from '../failure/unsendable-error.ts';

/** What a request of a route holds. */
export interface RequestInput<Id extends OperationId> {
  /** By name, what goes into its path; whatever is in a string stays one segment, and a list is several. */
  path?: Readonly<Record<string, string | readonly string[]>>;
  /** A field that is `undefined` is not sent. */
  query?: QueryOf<Id> | undefined;
  body?: BodyOf<Id>;
  /** Instead, for a route that takes bytes. */
  bytes?: Uint8Array;
  headers?: Readonly<Record<string, string>>;
}

/**
 * The request for a route, below `url`, with the caller's key. Throws an `UnsendableError` for a path that would lead
 * elsewhere, and for a number that is not finite.
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
      // The daemon sends nobody elsewhere, and the key is for nobody else.
      redirect: 'manual',
    },
  };
}

/** JSON would say `null` in its place, and the skill would be given that. */
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

/** An address with a segment of dots is another address, percent signs or not (WHATWG URL, 4.5). */
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
