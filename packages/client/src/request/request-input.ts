import { UnsendableError } from '../failure/unsendable-error.ts';
import type { FetchOptions } from './fetch.ts';
import type { Route, Routes } from './routes.ts';

/** The input for a route's request. */
export interface RequestInput<Name extends Route> {
  /** The parameters of the path; required if it has any. */
  params?: Routes[Name]['params'];
  /** Fields that are `undefined` are not sent. */
  query?: Routes[Name]['query'] | undefined;
  body?: Routes[Name]['body'];
  /** Used instead by routes that take bytes. */
  bytes?: Uint8Array | Blob | ReadableStream<Uint8Array>;
  headers?: Readonly<Record<string, string>>;
}

/**
 * Builds the request for a route, below `url`, with the caller's key. Throws an `UnsendableError`
 * for a parameter that would change the path, and for a number that is not finite.
 */
export function requestOf<Name extends Route>(
  { url, key }: { url: string; key: string | undefined },
  route: Name,
  { params, query, body, bytes, headers = {} }: RequestInput<Name>,
): { address: string; init: FetchOptions } {
  const [method = '', pattern = ''] = route.split(' ');
  const sent: Record<string, string> = {};
  if (key !== undefined) sent['authorization'] = `Bearer ${key}`;
  if (body !== undefined) sent['content-type'] = 'application/json';
  if (bytes !== undefined) sent['content-type'] = 'application/octet-stream';
  // The same name in another case would be a second value.
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value;
  const text = body === undefined ? null : JSON.stringify(body, finite);
  const init: FetchOptions = {
    method,
    headers: sent,
    // The type of a body excludes bytes in shared memory, which `fetch` refuses with its own error.
    body: (bytes as FetchOptions['body']) ?? text,
    // The daemon sends no redirects, and the key must not reach another server.
    redirect: 'manual',
  };
  // Required for streams, and unknown to some type libraries.
  if (isStream(bytes)) init.duplex = 'half';
  return {
    address: `${url.replace(/\/+$/, '')}${filled(pattern, { ...params })}${queryText({ ...query })}`,
    init,
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

/** The path of a route with its parameters, where `*` stands for the parameter `path`. */
function filled(pattern: string, params: Readonly<Record<string, string | readonly string[]>>): string {
  return pattern.replaceAll(/:(\w+)|\*/g, (_, name: string = 'path') =>
    [params[name] ?? ''].flat().map(segment).join('/'),
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
