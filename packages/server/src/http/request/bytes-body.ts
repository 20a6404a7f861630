import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../problem/refusal.ts';

const bytes = 'application/octet-stream';

/** Lets `app` read a body as bytes, for routes whose contract allows it. */
export function acceptBytes(app: FastifyInstance): void {
  app.addContentTypeParser(bytes, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (request.routeOptions.config.contract?.bytes === undefined)
      throw new Refusal(
        'MEDIA_TYPE_UNSUPPORTED',
        'this route takes JSON; send it with the header "content-type: application/json"',
      );
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return body;
    throw new Refusal(
      'MEDIA_TYPE_UNSUPPORTED',
      `compressed files are not accepted; send the file without "content-encoding: ${encoding.slice(0, 50)}"`,
    );
  });
}

/** The bytes of a request body; empty without a body. Throws `MEDIA_TYPE_UNSUPPORTED` for JSON. */
export function bytesOf({ body }: FastifyRequest): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (Buffer.isBuffer(body)) return body;
  throw new Refusal(
    'MEDIA_TYPE_UNSUPPORTED',
    `this route takes a file's bytes; send them with the header "content-type: ${bytes}", regardless of the content`,
  );
}
