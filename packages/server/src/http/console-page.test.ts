// Threat model: T222, T223

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { httpWorld } from './testing/http-world.ts';

const host = 'localhost:7433';

/** A built page, and requests to it without a key. */
async function page(console?: { isOn: boolean }) {
  const consoleFolder = await temporaryFolder({ 'index.html': '<!doctype html>', 'secret.txt': 'no asset' });
  await mkdir(join(consoleFolder, 'assets'));
  await writeFile(join(consoleFolder, 'assets/main-a1.js'), 'void 0;');
  const { app } = httpWorld({ consoleFolder, ...(console && { console }) });
  return (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers: { host, ...headers } });
}

test('every view is the page, with a policy that allows only its own scripts and no markup from text', async () => {
  const get = await page();
  for (const url of [
    '/console/',
    '/console/runs/0190-e1',
    '/console/keys/ci.bot?q=a',
    '/console/a/../index.html',
  ]) {
    const { statusCode, headers, body } = await get(url);
    expect([url, statusCode, body]).toEqual([url, 200, '<!doctype html>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect((await get(url, { 'if-none-match': String(headers['etag']) })).statusCode).toBe(304);
  }
});

test('scripts are cached for good, and only files of the build are served', async () => {
  const get = await page();
  const script = await get('/console/assets/main-a1.js');
  expect([script.statusCode, script.body]).toEqual([200, 'void 0;']);
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
  });
  const etag = String(script.headers['etag']);
  expect((await get('/console/assets/main-a1.js', { 'if-none-match': etag })).statusCode).toBe(304);
  for (const path of ['none.js', '..%2Fsecret.txt', 'a/main-a1.js', 'main-a1.js%00', '']) {
    const answer = await get(`/console/assets/${path}`);
    expect([path, answer.body.includes('no asset'), answer.json().code]).toEqual([
      path,
      false,
      'FILE_NOT_FOUND',
    ]);
  }
});

test('/console redirects to the page', async () => {
  const { statusCode, headers } = await (await page())('/console');
  expect([statusCode, headers['location']]).toEqual([308, '/console/']);
});

test('with console: false, there is no page', async () => {
  const console = { isOn: false };
  const get = await page(console);
  for (const url of ['/console', '/console/', '/console/assets/main-a1.js'])
    expect([url, (await get(url)).json().code]).toEqual([url, 'ROUTE_NOT_FOUND']);
  console.isOn = true;
  expect((await get('/console/')).statusCode).toBe(200);
});
