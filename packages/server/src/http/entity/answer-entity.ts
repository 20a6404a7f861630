import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** What an answer is of, and how it may be kept. */
export interface Entity {
  /** Strong: two answers with the same one are the same, byte for byte. */
  etag: string;
  /**
   * Both: to be kept, and asked after each time. `private` is for what a key sees, which no cache that others share may
   * have; `no-store` would have clients fetch again what they have.
   */
  cacheControl: 'no-cache' | 'private, no-cache';
}

/** The answer itself. */
export interface EntityBody {
  headers: Readonly<Record<string, string | number>> & { 'content-type': string };
  content: string | Readable | Buffer;
}

/** What a route with an entity looks at. */
export const EntityHeaders = z.object({
  'if-none-match': z.string().optional().describe('The `ETag` of an answer that is there already.'),
});

/** What it says of its answers, 200 and 304. */
export const tagged = { headers: { etag: 'Changes when the answer does.' } };

/**
 * Answers with the entity, or that it is what the asker has (RFC 9110, section 13.1.2); then `make` is not called. It says
 * so only once it is made, so that a refusal to make it is not taken for it.
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

/** As text, in JSON. */
export function jsonBody(text: string): EntityBody {
  return { headers: { 'content-type': 'application/json; charset=utf-8' }, content: text };
}

function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known?.some((each) => each === etag || each === '*') ?? false;
}
