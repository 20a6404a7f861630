// Threat model: T132

import { readdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { httpServer } from '../../testing/http-server.ts';
import { type ImportReport, importSkills } from '../import-skills.ts';
import type { ImportNetwork } from './remote-source.ts';

const manifest = (...files: string[]) =>
  JSON.stringify({ skills: files.map((file, at) => ({ name: `s${at}`, file })) });

/** A server that responds with these texts, or calls a function that writes the response. */
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
  const out = join(await temporaryFolder(), 'out');
  const report = await importSkills({ kind, from: url, out, network });
  return { ...report, lines: report.lines.filter((line) => line.kind === 'left-out') };
}

test('fetches a manifest from an allowed host, and files only below its folder', async () => {
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
    "s2: names the file ../secret.md, which leads out of the manifest's folder",
    `s3: names the file "https://127.0.0.1/x.md", which is outside the manifest's folder`,
    "s4: names the file //127.0.0.1/x.md, which is outside the manifest's folder",
    's5: names the file gone.md, which returned status 404',
  ]);
  expect(received.map(({ url }) => url)).toEqual([
    '/team/manifest.yaml?v=2',
    '/team/a.md',
    '/team/sub/b%20c%252e.md',
    '/team/gone.md',
  ]);
});

test("fetches wreckit's file from an allowed host", async () => {
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

test('refuses a host that is not allowed, with the line that would allow it', async () => {
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

test('checks a redirect like any other request', async () => {
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

test('waits once for a host that does not respond, not once per file', async () => {
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
    'names the file a.md, which cannot be fetched: no complete answer within 300 ms',
    'names the file b.md, which was skipped, because an earlier file timed out',
  ]);
  expect(received.map(({ url }) => url)).toEqual(['/m.yaml', '/a.md']);
  await expect(imported(`http://127.0.0.1:${port}/silent.yaml`, network)).rejects.toThrow(
    'no complete answer within 300 ms',
  );
});

test('refuses a file that is too long or not text', async () => {
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
      'names the file long.md, which has 1048577 bytes; the limit is 1048576',
      'names the file binary.md, which is not UTF-8',
    ],
  ]);
  await expect(imported(`http://127.0.0.1:${port}/long.yaml`, network)).rejects.toThrow(
    'the limit is 4194304',
  );
});

test.each(['http://example.org/m.yaml', 'ftp://example.org/m.yaml', 'file:///etc/passwd', 'https://'])(
  'refuses %s before any request',
  async (url) => {
    await expect(imported(url, { network: ['http://example.org', 'example.org'] })).rejects.toThrow(
      'is not an https:// URL',
    );
  },
);

test('refuses to fetch iSDLC and folders', async () => {
  const out = await temporaryFolder();
  for (const kind of ['isdlc', 'folder'] as const)
    await expect(importSkills({ kind, from: 'https://example.org/x', out })).rejects.toThrow(
      'download it and pass the folder',
    );
  expect(await readdir(out)).toEqual([]);
});
