import { expect, test } from 'vitest';
import { z } from 'zod';
import { bare, stream } from '../route/answer.ts';
import type { RouteContract } from '../route/define-route.ts';
import { openApiDocument } from './document.ts';

const octets = 'application/octet-stream';

/** A route that takes and returns bytes, with a wildcard at the end of its path. */
const contract: RouteContract = {
  ...{ method: 'PUT', url: '/things/:id/*', scope: 'open', id: 'putThing', group: 'Daemon' },
  ...{ summary: 'A thing', description: 'A thing.', problems: [] },
  params: z.strictObject({ id: z.string(), path: z.string().describe('The rest.') }),
  bytes: 'What is put.',
  answers: { 200: stream('It.', { [octets]: { description: 'Its bytes.' } }), 204: bare('Nothing.') },
};

test('bodies of bytes have the media type for bytes, and the wildcard has a name', () => {
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
