import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/page/reference-page.ts';
import { bare, json, stream } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

const Headers = z.object({
  'if-none-match': z.string().optional().describe('The `ETag` of an answer that is there already.'),
});

const OpenApi = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: 'OpenApi', description: 'A document of OpenAPI 3.1.' });

const tagged = { headers: { etag: 'Changes when the answer does.' } };

/**
 * `GET /openapi.json` and `GET /docs`: what the routes of `app` are, for programs and for people. Both say the same of
 * every daemon of a version, so that they need no key. They are made when somebody first asks, and kept.
 */
export function referenceRoutes(app: FastifyInstance, { version }: AppDeps): void {
  const document = once(() => openApiDocument(app.contracts, version));
  const text = once(() => entity(JSON.stringify(document())));
  const page = once(() => {
    const { html, policy } = referencePage(document());
    return { ...entity(html), policy };
  });

  defineRoute(app, {
    method: 'GET',
    url: '/openapi.json',
    scope: 'open',
    id: 'getOpenApi',
    group: 'Daemon',
    summary: 'This API, for programs',
    description: 'This document.',
    headers: Headers,
    answers: { 200: json('The document.', OpenApi, tagged), 304: bare('It is what it was.', tagged) },
    problems: [],
    handle: async (_, request, reply) => answer(text(), 'application/json; charset=utf-8', request, reply),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/docs',
    scope: 'open',
    id: 'getReference',
    group: 'Daemon',
    summary: 'This API, for people',
    description: 'A page with every route, without scripts and without anything from elsewhere.',
    headers: Headers,
    answers: {
      200: stream('The page.', { 'text/html': { description: 'HTML.' } }, tagged),
      304: bare('It is what it was.', tagged),
    },
    problems: [],
    async handle(_, request, reply) {
      const { policy, ...made } = page();
      reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
      return answer(made, 'text/html; charset=utf-8', request, reply);
    },
  });
}

interface Entity {
  text: string;
  etag: string;
}

function entity(text: string): Entity {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
}

/** The text, or that it is what the asker has (RFC 9110, section 13.1.2). */
function answer(
  { text, etag }: Entity,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (known?.some((each) => each === etag || each === '*')) return reply.code(304).send();
  return reply.type(type).send(text);
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
