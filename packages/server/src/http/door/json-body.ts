import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findFlaw } from '../../wire/json-flaw.ts';
import { Refusal } from '../problem/refusal.ts';

/** More values than these, and reading them alone would hold everybody up. */
const bounds = { depthMax: 200, valuesMax: 250_000 };
/** The dearest there is, an object of its own shape, takes about as much; a number 8. */
const valueBytes = 200;

/** Lets `app` read JSON bodies, and no others. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw new Refusal(
          'MEDIA_TYPE_UNSUPPORTED',
          `the body is read as it is; send it without "content-encoding: ${encoding.slice(0, 50)}"`,
        );
      }
      return readJson(body, (bytes) => {
        request.bodyBytes = bytes;
      });
    },
  );
}

/**
 * The value of a JSON text (RFC 8259). Stricter than `JSON.parse`: bytes that are not UTF-8, an object with two values
 * for one key, a key `__proto__`, more than 200 levels and more than 250,000 values are refused with the place, as `BODY_MALFORMED`. The refusal
 * quotes nothing of the text, for it goes into the audit log. `takes` is told what the value takes in memory, about.
 */
export function readJson(bytes: Uint8Array, takes: (memoryBytes: number) => void = () => undefined): unknown {
  const text = decode(bytes);
  const flaw = findFlaw(text, bounds, (values) => takes(2 * text.length + valueBytes * values));
  if (flaw === undefined) return JSON.parse(text);
  const before = text.slice(0, flaw.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  throw new Refusal('BODY_MALFORMED', `the body is not JSON that can be read: ${flaw.problem} at ${place}`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('BODY_MALFORMED', 'the body is not UTF-8; JSON is always sent in UTF-8');
  }
}
