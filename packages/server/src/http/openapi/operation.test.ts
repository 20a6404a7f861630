import { expect, test } from 'vitest';
import { z } from 'zod';
import { bare, stream } from '../route/answer.ts';
import type { RouteContract } from '../route/define-route.ts';
import { openApiDocument } from './document.ts';

const octets = 'application/octet-stream';

/** A route that takes bytes and answers with bytes, at the end of a path. */
const contract: RouteContract = {
  ...{ method: 'PUT', url: '/things/:id/*', scope: 'open', id: 'putThing', group: 'Daemon' },
  ...{ summary: 'A thing', description: 'A thing.', problems: [] },
  params: z.strictObject({ id: z.string(), path: z.string().describe('The rest.') }),
  bytes: 'What is put.',
  answers: { 200: stream('It.', { [octets]: { description: 'Its bytes.' } }), 204: bare('Nothing.') },
};

test('bytes are said to be bytes, and the rest of a path has a name', () => {
  const schema = (description: string) => ({ type: 'string', description, contentMediaType: octets });
  expect(openApiDocument([contract], '1.2.3').paths).toMatchObject({
    '/things/{id}/{path}': {
      put: {
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'path', in: 'path', required: true, description: 'The rest.', schema: { type: 'string' } },
        ],
        requestBody: { required: false, content: { [octets]: { schema: schema('What is put.') } } },
        responses: { 200: { content: { [octets]: { schema: schema('Its bytes.') } } } },
      },
    },
  });
});
