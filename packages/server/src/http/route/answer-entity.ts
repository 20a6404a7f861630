import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The validator and the caching rules of a response. */
export interface Entity {
  /** Strong: responses with the same tag are identical, byte for byte. */
  etag: string;
  /**
   * The first two allow caching with revalidation each time. `private` is for responses that depend on the key, which
   * shared caches must not store. With `no-store`, clients would fetch unchanged responses again. `immutable` is for files
   * whose name has their hash.
   */
  cacheControl: 'no-cache' | 'private, no-cache' | 'public, max-age=31536000, immutable';
}

/** The response itself. */
export interface EntityBody {
  headers: Readonly<Record<string, string | number>> & { 'content-type': string };
  content: string | Readable | Buffer;
}

/**
 * Answers with the entity, or with 304 if the client has it (RFC 9110, section 13.1.2); `make` is
 * then not called. Headers are set after `make`, so that a refusal has no `ETag`.
 */
export async function answerEntity(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, cacheControl }: Entity,
  make: () => EntityBody | Promise<EntityBody>,
): Promise<FastifyReply> {
  const body = isKnown(request, etag) ? undefined : await make();
  reply.headers({ etag, 'cache-control': cacheControl });
  if (body === undefined) return reply.code(304).send();
  return reply.headers(body.headers).send(body.content);
}

/** Answers with JSON whose tag is the hash of its text, for responses that depend on the key. */
export function answerTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: object,
): Promise<FastifyReply> {
  const text = JSON.stringify(answer);
  const entity = { etag: etagOf(text), cacheControl: 'private, no-cache' } as const;
  return answerEntity(request, reply, entity, () => jsonBody(text));
}

/** JSON text as a response. */
export function jsonBody(text: string): EntityBody {
  return { headers: { 'content-type': 'application/json; charset=utf-8' }, content: text };
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known?.some((each) => each === etag || each === '*') ?? false;
}

/** The strong validator of a text (RFC 9110, section 8.8.3), derived from its hash. */
export function etagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url').slice(0, 27)}"`;
}

/** Caches `etagOf` per object, for texts that depend on the object alone. */
export function cachedEtags<Thing extends object>(
  textOf: (thing: Thing) => string,
): (thing: Thing) => string {
  const cache = new WeakMap<Thing, string>();
  return (thing) => {
    const etag = cache.get(thing) ?? etagOf(textOf(thing));
    cache.set(thing, etag);
    return etag;
  };
}
