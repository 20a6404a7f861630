import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../problem/refusal.ts';

const bytes = 'application/octet-stream';

/** Lets `app` read a body as its bytes, where a route's contract takes them. */
export function acceptBytes(app: FastifyInstance): void {
  app.addContentTypeParser(bytes, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (request.routeOptions.config.contract?.bytes === undefined)
      throw new Refusal(
        'MEDIA_TYPE_UNSUPPORTED',
        'send the body as JSON, with the header "content-type: application/json"',
      );
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return body;
    throw new Refusal(
      'MEDIA_TYPE_UNSUPPORTED',
      `the file is kept as it is sent; send it without "content-encoding: ${encoding.slice(0, 50)}"`,
    );
  });
}

/** The bytes that a request brought; none for one without a body. Throws `MEDIA_TYPE_UNSUPPORTED` for JSON. */
export function bytesOf({ body }: FastifyRequest): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (Buffer.isBuffer(body)) return body;
  throw new Refusal(
    'MEDIA_TYPE_UNSUPPORTED',
    `send the file as its bytes, whatever is in it, with the header "content-type: ${bytes}"`,
  );
}
