import { SkillError } from '@ambit/core';
import type { JsonThread } from '@ambit/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../problem/refusal.ts';

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
      const read = await json.readBody(body);
      if ('problem' in read) throw new Refusal('BODY_MALFORMED', `the body ${read.problem}`);
      if ('notFiniteAt' in read)
        throw new SkillError(
          'INPUT_INVALID',
          `the body has a number that is not finite at ${read.notFiniteAt}`,
        );
      request.bodyBytes = read.memoryBytes;
      return read.value;
    },
  );
}
