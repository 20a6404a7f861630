import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AppDeps } from '../app-deps.ts';
import { answerEntity, type Entity, EntityHeaders, jsonBody, tagged } from '../entity/answer-entity.ts';
import { etagOf } from '../entity/etag-of.ts';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/page/reference-page.ts';
import { bare, json, stream } from '../route/answer.ts';
import { defineRoute } from '../route/define-route.ts';

const OpenApi = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: 'OpenApi', description: 'A document of OpenAPI 3.1.' });

/**
 * `GET /openapi.json` and `GET /docs`: what the routes of `app` are, for programs and for people. Both say the same of
 * every daemon of a version, so that they need no key. They are made when somebody first asks, and kept.
 */
export function referenceRoutes(app: FastifyInstance, { version }: AppDeps): void {
  const document = once(() => openApiDocument(app.contracts, version));
  const text = once(() => tagOf(JSON.stringify(document())));
  const page = once(() => {
    const { html, policy } = referencePage(document());
    return { ...tagOf(html), policy };
  });

  defineRoute(app, {
    method: 'GET',
    url: '/openapi.json',
    scope: 'open',
    id: 'getOpenApi',
    group: 'Daemon',
    summary: 'This API, for programs',
    description: 'This document.',
    headers: EntityHeaders,
    answers: { 200: json('The document.', OpenApi, tagged), 304: bare('It is what it was.', tagged) },
    problems: [],
    handle: async (_, request, reply) => answerEntity(request, reply, text(), () => jsonBody(text().content)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/docs',
    scope: 'open',
    id: 'getReference',
    group: 'Daemon',
    summary: 'This API, for people',
    description: 'A page with every route, without scripts and without anything from elsewhere.',
    headers: EntityHeaders,
    answers: {
      200: stream('The page.', { 'text/html': { description: 'HTML.' } }, tagged),
      304: bare('It is what it was.', tagged),
    },
    problems: [],
    async handle(_, request, reply) {
      const { policy, ...made } = page();
      reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
      return answerEntity(request, reply, made, () => ({
        headers: { 'content-type': 'text/html; charset=utf-8' },
        content: made.content,
      }));
    },
  });
}

function tagOf(content: string): Entity & { content: string } {
  return { content, etag: etagOf(content), cacheControl: 'no-cache' };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
