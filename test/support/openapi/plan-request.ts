import fc from 'fast-check';
import type { JsonSchemaFields } from '../../../packages/server/src/index.ts';
import { anyJson, type Hints, valuesOf } from './schema-values.ts';

/** The parts of an operation that requests are made from. */
export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters?: readonly {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    schema: JsonSchemaFields;
  }[];
  /** JSON, or bytes. */
  requestBody?: {
    content: { 'application/json'?: { schema: JsonSchemaFields }; 'application/octet-stream'?: object };
  };
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: unknown }>> }>>;
}

/** A request to send. */
export interface Plan {
  operation: Operation;
  /** The kind of its key. */
  key: string;
  /** Encoded, as sent. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The body as text or bytes; `undefined`: none. */
  body: string | Buffer | undefined;
  /** The value of a JSON body. */
  json: { value: unknown } | undefined;
}

/** Requests to an operation: some valid, some with one or two mistakes, some arbitrary. */
export function requestsTo(operation: Operation, keys: readonly string[], hints: Hints): fc.Arbitrary<Plan> {
  const { operationId, method, path, parameters = [], requestBody } = operation;
  const schema = requestBody?.content['application/json']?.schema;
  const isBytes = requestBody?.content['application/octet-stream'] !== undefined;
  const values = fc.record({
    fields: fewOf(operation, hints),
    body: schema === undefined ? fc.constant(undefined) : valuesOf(schema, hints, operationId),
    bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  });
  return fc
    .record({
      values,
      key: fc.oneof({ weight: 4, arbitrary: fc.constant('admin') }, fc.constantFrom(...keys)),
      query: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, odd.query),
      headers: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, odd.headers),
      body: fc.oneof(
        { weight: 5, arbitrary: fc.constant((value: unknown): Sent => asJson(value)) },
        {
          weight: 4,
          arbitrary: odd.slip.map(
            (slip) =>
              (value: unknown): Sent =>
                asJson(slip(value)),
          ),
        },
        { weight: 1, arbitrary: anyJson.map((value) => (): Sent => asJson(value)) },
        { weight: 1, arbitrary: odd.raw.map((raw) => (): Sent => ({ body: raw, json: undefined })) },
      ),
      bodyless: fc.integer({ min: 0, max: 40 }).map((roll) => roll === 0),
    })
    .map(({ values: { fields, body: given, bytes }, key, query, headers, body, bodyless }): Plan => {
      const sends = schema !== undefined || (bodyless && method !== 'get');
      const prepared = sends && !(schema !== undefined && bodyless) ? body(given) : none;
      const sent: Sent = isBytes && !bodyless ? { body: bytes, json: undefined } : prepared;
      const named = (place: string): [string, string][] =>
        parameters.flatMap((parameter, index) =>
          parameter.in === place && fields[index] !== undefined
            ? [[parameter.name, String(fields[index])]]
            : [],
        );
      const search = named('query').map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
      return {
        operation,
        key,
        path:
          named('path').reduce(
            (whole, [name, value]) => whole.replace(`{${name}}`, () => encoded(value)),
            path,
          ) + withMark([...search, query].filter((part) => part !== '').join('&')),
        headers: {
          accept: 'application/json, text/event-stream',
          ...(sent.body === undefined
            ? {}
            : { 'content-type': sent.body === bytes ? 'application/octet-stream' : 'application/json' }),
          ...Object.fromEntries(named('header').map(([name, value]) => [name, latin(value)])),
          ...headers,
        },
        ...sent,
      };
    });
}

/**
 * By index: all required parameters and a few optional ones. An operation can have its own hints.
 */
function fewOf(
  { operationId, parameters = [] }: Operation,
  hints: Hints,
): fc.Arbitrary<Record<number, unknown>> {
  const all = parameters.map(({ name, required, schema }, index) => {
    const own = `${operationId}.${name}`;
    return { index, name: own in hints ? own : name, required, schema };
  });
  const optional = all.filter(({ required }) => !required);
  return fc
    .subarray(optional, { maxLength: Math.min(optional.length, 2) })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          [...all.filter(({ required }) => required), ...chosen].map(({ index, name, schema }) => [
            index,
            valuesOf(schema, hints, name),
          ]),
        ),
      ),
    );
}

type Sent = Pick<Plan, 'body' | 'json'>;

const none: Sent = { body: undefined, json: undefined };

function asJson(value: unknown): Sent {
  const body = JSON.stringify(value) ?? 'null';
  return { body, json: { value: JSON.parse(body) } };
}

function withMark(search: string): string {
  return search === '' ? '' : `?${search}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The characters that a header can contain. */
function latin(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '?').slice(0, 4000);
}

const unknownName = fc.constantFrom('nonsense', '__proto', 'inputs', 'constructor', 'INPUT', 'input ', '');

const odd = {
  query: fc.oneof(
    fc.constantFrom('nonsense=1', 'limit=0', 'limit=1e3', 'q=%zz', '&&==&', 'skill=a&skill=b', '__proto__=1'),
    fc.string({ maxLength: 20 }).map((text) => encoded(text)),
    fc.constant(`q=${'x'.repeat(9000)}`),
  ),
  headers: fc.constantFrom<Record<string, string>>(
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'APPLICATION/JSON' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'nonsense' },
    { 'content-type': '' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'identity' },
    { accept: 'text/event-stream' },
    { accept: 'application/xml;q=nonsense' },
    { accept: 'application/json, text/event-stream' },
    { host: 'evil.example' },
    { host: '' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { expect: 'nonsense' },
    { te: 'trailers' },
    { range: 'bytes=0-1' },
    { 'if-none-match': '*' },
    { 'last-event-id': 'nonsense' },
    { 'last-event-id': '0' },
    { 'mcp-session-id': 'nonsense' },
    { 'mcp-protocol-version': 'nonsense' },
    { 'x-padding': 'x'.repeat(20_000) },
    { 'x-latin': '\xe9\xff' },
    { prefer: 'respond-async' },
    { 'x-http-method-override': 'DELETE' },
  ),
  /** A value with one mistake. */
  slip: fc
    .record({
      value: anyJson,
      name: unknownName,
      at: fc.nat(),
      how: fc.constantFrom('put', 'drop', 'replace'),
    })
    .map(
      ({ value, name, at, how }) =>
        (whole: unknown): unknown =>
          slipped(whole, { value, name, at, how }),
    ),
  raw: fc.oneof(
    fc.constantFrom<string | Buffer>(
      ...[
        '',
        '{',
        '{}',
        'null',
        '[]',
        '{"input":1,"input":2}',
        '{"__proto__":{}}',
        '\ufeff{}',
        '{"a":1}garbage',
      ],
      ...['"\\ud800"', '1e999', '{"input":-0}', '['.repeat(500), '{"input":'.repeat(300), 'x'.repeat(70_000)],
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
    ),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(70_000, 300_000).map((length) => JSON.stringify({ input: 'x'.repeat(length) })),
  ),
};

interface Slip {
  value: unknown;
  name: string;
  at: number;
  how: 'put' | 'drop' | 'replace';
}

/** Descends into the value while `at` selects a member, and makes the mistake there. */
function slipped(whole: unknown, slip: Slip): unknown {
  if (whole === null || typeof whole !== 'object') return slip.value;
  const entries = Object.entries(whole);
  const chosen = entries[slip.at % Math.max(entries.length, 1)];
  const isDeeper = chosen !== undefined && typeof chosen[1] === 'object' && slip.at % 3 !== 0;
  const changed = isDeeper
    ? entries.map(([key, value]) =>
        key === chosen[0] ? [key, slipped(value, { ...slip, at: Math.floor(slip.at / 3) })] : [key, value],
      )
    : slip.how === 'put' || chosen === undefined
      ? [...entries, [slip.name, slip.value]]
      : slip.how === 'drop'
        ? entries.filter((entry) => entry !== chosen)
        : entries.map(([key, value]) => (key === chosen[0] ? [key, slip.value] : [key, value]));
  return Array.isArray(whole) ? changed.map(([, value]) => value) : Object.fromEntries(changed);
}
