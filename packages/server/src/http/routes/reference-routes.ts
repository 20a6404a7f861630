import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/page/reference-page.ts';
import { bare, json, stream } from '../route/answer.ts';
import {
  answerEntity,
  type Entity,
  EntityHeaders,
  etagOf,
  jsonBody,
  tagged,
} from '../route/answer-entity.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { defineRoute } from '../route/define-route.ts';

const OpenApi = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: 'OpenApi', description: 'An OpenAPI 3.1 document.' });

/**
 * `GET /openapi.json` and `GET /docs`: the reference, for programs and for people. It is the same
 * for every daemon of a version, so it needs no key. Both are generated on first use and cached.
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
    summary: 'Get the OpenAPI document',
    description: 'This document.',
    headers: EntityHeaders,
    answers: { 200: json('The document.', OpenApi, tagged), 304: bare('Not modified.', tagged) },
    problems: [],
    handle: async (_, request, reply) => answerEntity(request, reply, text(), () => jsonBody(text().content)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/docs',
    scope: 'open',
    id: 'getReference',
    group: 'Daemon',
    summary: 'Read the reference',
    description: 'A page that describes every route, without scripts or external resources.',
    headers: EntityHeaders,
    answers: {
      200: stream('The page.', { 'text/html': { description: 'HTML.' } }, tagged),
      304: bare('Not modified.', tagged),
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
