// Threat model: T326, T339

// Tests that stop, restart or configure a daemon start their own; the others share one.

import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { startDaemon } from '../../support/daemon.ts';
import { configuration, contents, get, keep, made, put, raw, shared } from '../support/keeper.ts';

const sharedByAll = shared();

describe('the files of a workspace', () => {
  test('are uploaded and downloaded as bytes, and never displayed by a browser', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const created = await put(daemon, id, 'a/page.html', bytes);
    const { etag } = created.headers;
    expect({ status: created.status, body: JSON.parse(created.body.toString()) }).toEqual({
      status: 201,
      body: { path: 'a/page.html', bytes: 256, sha256: etag?.slice(1, -1), modified: expect.any(String) },
    });
    const read = await get(daemon, id, 'a/page.html');
    expect(read.body).toEqual(bytes);
    expect(read.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      etag,
    });
    expect((await put(daemon, id, 'a/page.html', bytes)).status).toBe(200);
    expect((await put(daemon, id, 'empty', '')).status).toBe(201);
    expect((await raw(daemon, 'DELETE', `/workspaces/${id}/files/a/page.html`)).status).toBe(204);
    expect((await get(daemon, id, 'a/page.html')).status).toBe(404);
    expect(await contents(daemon, id)).toEqual({ empty: '' });
    expect((await raw(daemon, 'DELETE', `/workspaces/${id}`)).status).toBe(204);
    expect((await get(daemon, id, 'empty')).status).toBe(404);
  });

  test("are changed only if the request's conditions match", async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const tag = async (path: string) => String((await get(daemon, id, path)).headers.etag);
    expect((await put(daemon, id, 'a', 'one', { 'if-match': '*' })).status).toBe(412);
    expect((await put(daemon, id, 'a', 'one', { 'if-none-match': '*' })).status).toBe(201);
    expect((await put(daemon, id, 'a', 'two', { 'if-none-match': '*' })).status).toBe(412);
    const one = await tag('a');
    expect((await get(daemon, id, 'a', { 'if-none-match': `W/${one}, "x"` })).status).toBe(304);
    expect((await get(daemon, id, 'a', { 'if-none-match': '"x"' })).status).toBe(200);
    expect((await put(daemon, id, 'a', 'two', { 'if-match': one })).status).toBe(200);
    expect((await put(daemon, id, 'a', 'three', { 'if-match': one })).status).toBe(412);
    expect((await put(daemon, id, 'a', 'three', { 'if-match': 'bare' })).status).toBe(400);
    const remove = (match: string) =>
      raw(daemon, 'DELETE', `/workspaces/${id}/files/a`, { headers: { 'if-match': match } });
    expect((await remove(one)).status).toBe(412);
    expect((await remove(await tag('a'))).status).toBe(204);
  });

  test.each([
    ['a/../../../key', 400],
    ['%2e%2e/%2e%2e/key', 400],
    ['..%2f..%2fkey', 400],
    ['a%2Fb', 400],
    ['%2Fetc%2Fpasswd', 400],
    ['/etc/passwd', 400],
    ['', 400],
    ['a%00b', 400],
    ['a%0Ab', 400],
    ['a%5Cb', 400],
    ['%FF', 404],
    ['%EF%BF%BD', 400],
  ])('are refused at the path %s', async (path, status) => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const before = await folders(daemon.dataDir);
    for (const method of ['PUT', 'GET', 'DELETE'])
      expect(
        (await raw(daemon, method, `/workspaces/${id}/files/${path}`, method === 'PUT' ? { body: 'x' } : {}))
          .status,
      ).toBe(status);
    expect(await contents(daemon, id)).toEqual({});
    expect(await folders(daemon.dataDir)).toEqual(before);
  });

  test('accept any other path, and paths that differ in one byte are different files', async () => {
    const daemon = sharedByAll();
    const id = await made(daemon);
    const paths = ['ü', 'u\u0308', 'A', 'a', 'a b', '-rf', '...', '~', '%2e', 'x;y=1', '数', 'a?b#c'];
    for (const path of paths) await put(daemon, id, encodeURIComponent(path), path);
    expect(await contents(daemon, id)).toEqual(Object.fromEntries(paths.map((path) => [path, path])));
    const ran = await keep(daemon, id, 'print(len(os.listdir(".")))');
    expect(ran.body.outcome.output.stdout).toBe(`${paths.length}\n`);
  });

  test('are accepted only as bytes and within the quota, above the limit for other bodies', async () => {
    const daemon = await startDaemon({ ...(await configuration()), bodyLimitBytes: 1000 });
    const id = await made(daemon, { quotaBytes: 1500 });
    const typed = (type: string) => put(daemon, id, 'a', '{}', { 'content-type': type });
    expect((await typed('application/json')).status).toBe(415);
    expect((await typed('text/plain')).status).toBe(415);
    expect((await put(daemon, id, 'a', 'x', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await put(daemon, id, 'a', 'x'.repeat(1501))).status).toBe(413);
    expect((await put(daemon, id, 'a', 'x'.repeat(1500))).status).toBe(201);
    expect((await put(daemon, id, 'a', 'x'.repeat(1000))).status).toBe(200);
    expect((await put(daemon, id, 'b', 'x'.repeat(501))).status).toBe(413);
    expect((await put(daemon, id, 'b', 'x'.repeat(500))).status).toBe(201);
    const octets = { raw: '{}', headers: { 'content-type': 'application/octet-stream' } };
    expect((await daemon.request('POST', '/workspaces', octets)).body.code).toBe('MEDIA_TYPE_UNSUPPORTED');
  });
});

async function folders(dataDir: string): Promise<string[]> {
  const found = await readdir(dataDir, { withFileTypes: true });
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
