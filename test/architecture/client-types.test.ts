import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { apiTypes, apiTypesFile } from '../../scripts/build-client.mjs';

test('the committed types of the client match the routes', async () => {
  expect(await readFile(apiTypesFile, 'utf8')).toBe(await apiTypes());
});
