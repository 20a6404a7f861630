import { daemonContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../openapi/document.ts';
import { referencePage } from '../openapi/page/reference-page.ts';
import { answerEntity, type Entity, etagOf, jsonBody } from '../route/answer-entity.ts';
import type { AppDeps } from '../route/app-deps.ts';
import { route } from '../route/route.ts';

/**
 * `GET /openapi.json` and `GET /docs`: the reference, for programs and for people. It is the same
 * for every daemon of a version, so it needs no key. Both are generated on first use and cached.
 */
export function referenceRoutes(app: FastifyInstance, { version }: AppDeps): void {
  const document = once(() => openApiDocument(version));
  const text = once(() => tagOf(JSON.stringify(document())));
  const page = once(() => {
    const { html, policy } = referencePage(document());
    return { ...tagOf(html), policy };
  });

  route(app, daemonContracts.getOpenApi, async (_, request, reply) =>
    answerEntity(request, reply, text(), () => jsonBody(text().content)),
  );

  route(app, daemonContracts.getReference, async (_, request, reply) => {
    const { policy, ...made } = page();
    reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
    return answerEntity(request, reply, made, () => ({
      headers: { 'content-type': 'text/html; charset=utf-8' },
      content: made.content,
    }));
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
