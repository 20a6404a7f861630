// Threat model: T239

import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { documentSchemas } from '../../support/openapi/document-schemas.ts';

const daemon = sharedDaemon();

const open = { authorization: '' };

test('GET /openapi.json is valid OpenAPI 3.1 without linter findings, and its examples and defaults match the schemas', async () => {
  const { request } = daemon();
  const { status, type, body: document } = await request('GET', '/openapi.json', { headers: open });
  expect({ status, type }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  const found = await lintFromString({
    source: JSON.stringify(document, null, 1),
    absoluteRef: 'openapi.json',
    config: await loadConfig({ customExtends: ['recommended'] }),
  });
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);

  const fits = documentSchemas(document);
  const examples = examplesIn(document.paths);
  expect(
    examples.map(({ schema, example }) => fits(schema, example)).filter((flaw) => flaw !== null),
  ).toEqual([]);
  expect(examples.length).toBeGreaterThan(8);
});

test('the document has names, patterns and numbers that client generators can compile', async () => {
  const { request } = daemon();
  const { body: document } = await request('GET', '/openapi.json', { headers: open });

  const taken = [
    'Record',
    'Partial',
    'Required',
    'Pick',
    'Omit',
    'Exclude',
    'Extract',
    'Readonly',
    'Awaited',
  ];
  const schemas = Object.keys(document.components.schemas);
  expect(schemas.filter((name) => taken.includes(name) || Object.hasOwn(globalThis, name))).toEqual([]);

  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)];
  expect(patterns.length).toBeGreaterThan(10);
  // Without the u flag, `\P{…}` is a literal P.
  const needsFlag = patterns.map(([, text = '']) => JSON.parse(text)).filter((text) => /\\p\{/i.test(text));
  expect(needsFlag).toEqual([]);

  const { parameters } = document.paths['/audit'].get;
  const typesOf = Object.fromEntries(
    parameters.map(({ name, schema }: { name: string; schema: { type: string } }) => [name, schema.type]),
  );
  expect(typesOf).toMatchObject({ limit: 'integer', before: 'integer', since: 'string' });
});

test('GET /docs is one page with every route that satisfies its content security policy', async () => {
  const { url, request } = daemon();
  const { body: document } = await request('GET', '/openapi.json', { headers: open });
  const answer = await fetch(`${url}/docs`);
  const page = await answer.text();
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(page.match(/<script|\son\w+=|\sstyle=|src=|@import|url\(/g)).toBeNull();
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
  const operations = Object.values<object>(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.map(({ operationId }) => operationId).filter((id) => !ids.has(id))).toEqual([]);

  for (const path of ['/openapi.json', '/docs']) {
    const first = await fetch(`${url}${path}`);
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(`${url}${path}`, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    const other = await fetch(`${url}${path}`, { headers: { 'if-none-match': '"other"' } });
    expect([other.status, await other.text()]).toEqual([200, await first.text()]);
  }
});

/** Every example and default of the document with its schema. */
function examplesIn(value: unknown): { schema: unknown; example: unknown }[] {
  if (value === null || typeof value !== 'object') return [];
  const here =
    'example' in value && 'schema' in value ? [value as { schema: unknown; example: unknown }] : [];
  const own = 'default' in value && 'type' in value ? [{ schema: value, example: value.default }] : [];
  return [...here, ...own, ...Object.values(value).flatMap(examplesIn)];
}
