import type { Readable } from 'node:stream';
import { SkillError } from '@ambit/core';
import type { JsonThread } from '@ambit/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { bytesMediaType } from '../route/parse-request.ts';

/** Lets `app` read JSON bodies only. Each `input` in them may be a `JsonText`. */
export function acceptJson(app: FastifyInstance, json: JsonThread): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw new Refusal(
          'MEDIA_TYPE_UNSUPPORTED',
          `compressed bodies are not accepted; send the body without "content-encoding: ${encoding.slice(0, 50)}"`,
        );
      }
      return bodyValue(request, await json.readBody(body));
    },
  );
}

function bodyValue(request: FastifyRequest, read: Awaited<ReturnType<JsonThread['readBody']>>): unknown {
  if ('problem' in read) throw new Refusal('BODY_MALFORMED', `the body ${read.problem}`);
  if ('notFiniteAt' in read)
    throw new SkillError('INPUT_INVALID', `the body has a number that is not finite at ${read.notFiniteAt}`);
  request.bodyBytes = read.memoryBytes;
  return read.value;
}

/** Lets `app` pass a body as a stream of bytes to routes whose contract allows it. */
export function acceptBytes(app: FastifyInstance): void {
  app.addContentTypeParser(bytesMediaType, async (request: FastifyRequest, body: Readable) => {
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
