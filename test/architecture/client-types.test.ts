import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { apiTypes, apiTypesFile } from '../../scripts/build-client.mjs';

test('the committed types of the client are what the routes give', async () => {
  expect(await readFile(apiTypesFile, 'utf8')).toBe(await apiTypes());
});
