import { STATUS_CODES } from 'node:http';
import {
  type Answer,
  Problem,
  problemCodes,
  problemMediaType,
  problemsOf,
  type RouteContract,
} from '@ambit/api';
import type { z } from 'zod';
import type { Json, Schemas } from './schemas.ts';

/** The operation object of one route. */
export function operation(contract: RouteContract, schemas: Schemas): Json {
  const { id, group, summary, description, head, scope, params, query, headers } = contract;
  const parameters = [
    ...parametersOf('path', params, schemas),
    ...(query === 'anything' ? [] : parametersOf('query', query, schemas)),
    ...parametersOf('header', headers, schemas),
  ];
  return {
    operationId: id,
    tags: [group],
    summary,
    description: head ? `${description} Supports \`HEAD\`, with the same headers.` : description,
    security: scope === 'open' ? [] : [{ key: scope === 'any' ? [] : [scope] }],
    parameters: parameters.length === 0 ? undefined : parameters,
    ...requestBody(contract, schemas),
    responses: responses(contract, schemas),
  };
}

function parametersOf(
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  schemas: Schemas,
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.ofRequest(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description,
    schema: rest,
  }));
}

function requestBody({ body, bodyExample: example, bytes }: RouteContract, schemas: Schemas): Json {
  if (bytes !== undefined)
    return { requestBody: { required: false, content: { [octets]: { schema: textOf(octets, bytes) } } } };
  if (body === undefined) return {};
  const schema = schemas.ofRequest(body);
  const content = { 'application/json': { schema, example } };
  const { required = [] } = schema as { required?: string[] };
  return { requestBody: { required: required.length > 0, content } };
}

const octets = 'application/octet-stream';

/** A body that is not JSON; bytes have their own media type. */
function textOf(type: string, description: string): Json {
  return { type: 'string', description, contentMediaType: type === octets ? octets : undefined };
}

/** By status. One status can be a response and a refusal, with different media types. */
function responses(contract: RouteContract, schemas: Schemas): Json {
  const codes = Map.groupBy(new Set(problemsOf(contract)), (code) => problemCodes[code].status);
  const numbers = [...new Set([...Object.keys(contract.answers).map(Number), ...codes.keys()])];
  return Object.fromEntries(
    numbers
      .sort((a, b) => a - b)
      .map((status) => {
        const answer = contract.answers[status];
        const refusals = codes.get(status) ?? [];
        const lines = [
          ...(answer === undefined ? [] : [answer.description]),
          ...refusals.map((code) => {
            const { title, remedy } = problemCodes[code];
            return `- \`${code}\`: ${title}. ${capital(remedy)}.`;
          }),
        ];
        const headers = {
          ...headersOf(answer?.headers ?? {}),
          ...headersOf(Object.assign({}, ...refusals.map((code) => refusalHeaders[code] ?? {}))),
        };
        const content = { ...contentOf(answer, schemas), ...problemContent(refusals, status, schemas) };
        return [
          String(status),
          {
            description: lines.join('\n') || STATUS_CODES[status],
            headers: Object.keys(headers).length === 0 ? undefined : headers,
            content: Object.keys(content).length === 0 ? undefined : content,
          },
        ];
      }),
  );
}

function contentOf(answer: Answer | undefined, schemas: Schemas): Json {
  if (answer === undefined) return {};
  const { schema, media, example } = answer;
  const content: Record<string, Json> = {};
  if (schema !== undefined) content['application/json'] = { schema: schemas.ofAnswer(schema), example };
  for (const [type, { description, each }] of Object.entries(media)) {
    const text = textOf(type, description);
    content[type] = { schema: each ? { ...text, ...eachOf(type, schemas.ofAnswer(each)) } : text };
  }
  return content;
}

/**
 * The schema of each event or line. OpenAPI 3.1 has no schema for the items of a stream, so the
 * content schema is an array. As in OpenAPI 3.2, an event is an object with its fields; here `data`
 * is its parsed JSON.
 */
function eachOf(contentMediaType: string, items: Json): Json {
  return { contentMediaType, contentSchema: { type: 'array', items } };
}

function problemContent(codes: readonly string[], status: number, schemas: Schemas): Json {
  if (codes.length === 0) return {};
  const narrowed = { type: 'object', properties: { code: { enum: codes }, status: { const: status } } };
  return { [problemMediaType]: { schema: { allOf: [schemas.ofAnswer(Problem), narrowed] } } };
}

const refusalHeaders: Readonly<Record<string, Record<string, string>>> = {
  UNAUTHENTICATED: { 'www-authenticate': 'The challenge (RFC 6750).' },
  RATE_LIMITED: { 'retry-after': 'Seconds until the next attempt.' },
};

function headersOf(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
