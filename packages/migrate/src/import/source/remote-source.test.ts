import { readdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { httpServer } from '../../testing/http-server.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { type ImportReport, importSkills } from '../import-skills.ts';
import type { ImportNetwork } from './remote-source.ts';

const manifest = (...files: string[]) =>
  JSON.stringify({ skills: files.map((file, at) => ({ name: `s${at}`, file })) });

/** A server that answers with these texts; a function answers by itself. */
function serving(answers: Readonly<Record<string, string | RequestListener>>) {
  return httpServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
}

async function imported(
  url: string,
  network: ImportNetwork,
  kind: 'agentium' | 'wreckit' = 'agentium',
): Promise<ImportReport> {
  return importSkills({ kind, from: url, out: join(await temporaryFolder(), 'out'), network });
}

test('a manifest comes from an allowed host, and its files from below its folder', async () => {
  const { port, received } = await serving({
    '/team/manifest.yaml?v=2': manifest(
      'a.md',
      'sub/b c%2e.md',
      '../secret.md',
      'https://127.0.0.1/x.md',
      '//127.0.0.1/x.md',
      'gone.md',
    ),
    '/team/a.md': '# A\n',
    '/team/sub/b%20c%252e.md': '# B\n',
    '/secret.md': 'secret',
  });
  const report = await imported(`http://127.0.0.1:${port}/team/manifest.yaml?v=2`, {
    network: [`http://127.0.0.1:${port}`],
  });
  expect(report.written).toEqual(['s0', 's1']);
  expect(report.lines.map(({ about, text }) => `${about}: ${text}`)).toEqual([
    's2: names the file ../secret.md, which leads out of the folder of its manifest',
    's3: names the file "https://127.0.0.1/x.md", which is not below the folder of its manifest',
    's4: names the file //127.0.0.1/x.md, which is not below the folder of its manifest',
    's5: names the file gone.md, which is answered with 404',
  ]);
  expect(received.map(({ url }) => url)).toEqual([
    '/team/manifest.yaml?v=2',
    '/team/a.md',
    '/team/sub/b%20c%252e.md',
    '/team/gone.md',
  ]);
});

test("wreckit's file comes from an allowed host", async () => {
  const { port } = await serving({
    '/s.json': JSON.stringify({ skills: [{ id: 'a', name: 'A', description: 'A.', tools: [] }] }),
  });
  const report = await imported(
    `http://127.0.0.1:${port}/s.json`,
    { network: [`http://127.0.0.1:${port}`] },
    'wreckit',
  );
  expect(report.written).toEqual(['a']);
});

test('a host that nobody allowed is not reached, and the refusal has the line that would allow it', async () => {
  const { port, connections } = await serving({});
  const url = `http://127.0.0.1:${port}/manifest.yaml`;
  for (const network of [{}, { network: [`http://127.0.0.1:${port}`], deny: ['127.0.0.1'] }]) {
    const refused = await imported(url, network).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'CAPABILITY_DENIED',
      message: expect.stringContaining(
        'deny' in network
          ? 'Remove deny rule network: 127.0.0.1'
          : `imports: { network: ["http://127.0.0.1:${port}"] }`,
      ),
    });
  }
  expect(connections()).toBe(0);
});

test('a redirect is judged like any other request', async () => {
  const other = await serving({ '/x.yaml': manifest() });
  const { port } = await serving({
    '/within.yaml': (_, response) => response.writeHead(302, { location: '/real.yaml' }).end(),
    '/real.yaml': manifest('a.md', 'b.md'),
    '/a.md': '# A\n',
    '/b.md': (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/x.yaml` }).end(),
    '/out.yaml': (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/x.yaml` }).end(),
    '/round.yaml': (_, response) => response.writeHead(302, { location: '/round.yaml' }).end(),
  });
  const network = { network: [`http://127.0.0.1:${port}`] };
  const within = await imported(`http://127.0.0.1:${port}/within.yaml`, network);
  expect([within.written, within.lines.map(({ about }) => about)]).toEqual([['s0'], ['s1']]);
  await expect(imported(`http://127.0.0.1:${port}/out.yaml`, network)).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
  });
  await expect(imported(`http://127.0.0.1:${port}/round.yaml`, network)).rejects.toThrow(
    'redirects more than 5 times',
  );
  expect(other.connections()).toBe(0);
});

test('a host that does not answer ends the wait, once for all of its files', async () => {
  const silent: RequestListener = () => undefined;
  const { port, received } = await serving({
    '/m.yaml': manifest('a.md', 'b.md'),
    '/a.md': silent,
    '/b.md': '# B\n',
    '/silent.yaml': silent,
  });
  const network = { network: [`http://127.0.0.1:${port}`], timeoutMs: 300 };
  const report = await imported(`http://127.0.0.1:${port}/m.yaml`, network);
  expect(report.lines.map(({ text }) => text)).toEqual([
    'names the file a.md, which cannot be had: no complete answer within 300 ms',
    'names the file b.md, which is not asked for, since an earlier file did not come in time',
  ]);
  expect(received.map(({ url }) => url)).toEqual(['/m.yaml', '/a.md']);
  await expect(imported(`http://127.0.0.1:${port}/silent.yaml`, network)).rejects.toThrow(
    'no complete answer within 300 ms',
  );
});

test('what is too long, or no text, is not taken', async () => {
  const { port } = await serving({
    '/m.yaml': manifest('long.md', 'binary.md', 'a.md'),
    '/long.md': 'x'.repeat(1024 * 1024 + 1),
    '/binary.md': (_, response) => response.end(Buffer.from([0xff, 0xfe])),
    '/a.md': '# A\n',
    '/long.yaml': 'x'.repeat(4 * 1024 * 1024 + 1),
  });
  const network = { network: [`http://127.0.0.1:${port}`] };
  const report = await imported(`http://127.0.0.1:${port}/m.yaml`, network);
  expect([report.written, report.lines.map(({ text }) => text)]).toEqual([
    ['s2'],
    [
      'names the file long.md, which has 1048577 bytes; at most 1048576 are read',
      'names the file binary.md, which is not UTF-8',
    ],
  ]);
  await expect(imported(`http://127.0.0.1:${port}/long.yaml`, network)).rejects.toThrow(
    'at most 4194304 are read',
  );
});

test.each(['http://example.org/m.yaml', 'ftp://example.org/m.yaml', 'file:///etc/passwd', 'https://'])(
  '%s is refused before anything is asked',
  async (url) => {
    await expect(imported(url, { network: ['http://example.org', 'example.org'] })).rejects.toThrow(
      'is no https:// URL',
    );
  },
);

test('iSDLC and folders are not fetched', async () => {
  const out = await temporaryFolder();
  for (const kind of ['isdlc', 'folder'] as const)
    await expect(importSkills({ kind, from: 'https://example.org/x', out })).rejects.toThrow(
      'fetch it first',
    );
  expect(await readdir(out)).toEqual([]);
});
