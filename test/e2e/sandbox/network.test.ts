import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { localServer } from '../../support/local-server.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

/** A server on loopback that records its requests. */
async function server(answer: RequestListener) {
  const heard: (string | undefined)[] = [];
  const { port } = await localServer((request, response) => {
    heard.push(request.url);
    answer(request, response);
  });
  return { port, heard };
}

const python = `import urllib.request, urllib.error
try:
  with urllib.request.urlopen(given["url"], timeout=60) as answer:
    print(json.dumps({"status": answer.status, "text": answer.read().decode()}))
except urllib.error.HTTPError as error:
  print(json.dumps({"status": error.code, "text": error.read().decode()}))`;

const script = `import { fetch } from 'ambit';
export default async ({ url }) => {
  try {
    const answer = await fetch(url);
    return { status: answer.status, text: answer.text() };
  } catch (error) {
    return { refused: error.message };
  }
};`;

const granted = await server((_, response) => response.end('hello'));
const other = await server((_, response) => response.end('secret things'));
const page = await server((request, response) => {
  if (request.url === '/old') return response.writeHead(302, { location: '/new' }).end();
  return response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end('<html><head><title>Hello</title></head><body><h1>Hi</h1><a href="/more">more</a></body></html>');
});
const away = await server((_, response) => response.end('elsewhere'));
const ruleOf = ({ port }: { port: number }): string => `http://127.0.0.1:${port}`;

const shared = sharedDaemon(async (skills) => {
  const open = { network: [ruleOf(granted)] };
  await writeSkills(skills, {
    program: pythonSkill(python, { capabilities: { ...open, exec: ['python3'] } }),
    script: {
      'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities: open } }),
      'index.js': script,
    },
  });
  return {
    skills: [{ path: skills, tier: 'local' }],
    grants: { program: open, script: open, 'web-fetch': { network: [ruleOf(page)] } },
  };
});

test('a call reaches only its granted hosts, and its record lists them', async () => {
  const daemon = shared();
  const rule = ruleOf(granted);
  for (const skill of ['program', 'script']) {
    const { body } = await daemon.execute(skill, { input: { url: `${rule}/page?q=1` } });
    expect(body.outcome).toEqual({ status: 'succeeded', output: { status: 200, text: 'hello' } });
    const [record] = await daemon.audit('?limit=1');
    expect(record.connections).toEqual([
      {
        host: '127.0.0.1',
        port: granted.port,
        method: 'GET',
        path: '/page',
        bytesUp: expect.any(Number),
        bytesDown: expect.any(Number),
        decision: 'allowed',
        rule,
        at: expect.any(Number),
        durationMs: expect.any(Number),
        status: 200,
      },
    ]);
    const { at } = record.connections[0];
    expect(at).toBeGreaterThanOrEqual(Date.parse(record.startedAt));
    // The clock of the record has whole milliseconds.
    expect(at).toBeLessThan(Date.parse(record.endedAt) + 1);

    const elsewhere = await daemon.execute(skill, { input: { url: `http://127.0.0.1:${other.port}/` } });
    expect(JSON.stringify(elsewhere.body.outcome.output)).toContain('is not granted to this skill');
    expect(elsewhere.body.denials).toMatchObject([
      { capability: 'network', requested: `127.0.0.1:${other.port}` },
    ]);
    const [refused] = await daemon.audit('?limit=1');
    expect(refused.capabilities.denied).toEqual(elsewhere.body.denials);
  }
  expect(granted.heard).toEqual(['/page?q=1', '/page?q=1']);
  expect(other.heard).toEqual([]);
});

test('the bundled web-fetch reads only pages that the operator allowed, also through redirects', async () => {
  const daemon = shared();
  const rule = ruleOf(page);
  const { body } = await daemon.execute('web-fetch', { input: { url: `${rule}/old` } });
  expect(body.outcome).toEqual({
    status: 'succeeded',
    output: {
      url: `${rule}/new`,
      status: 200,
      title: 'Hello',
      markdown: expect.stringContaining('# Hi'),
      links: [{ text: 'more', url: `${rule}/more` }],
      truncated: false,
    },
  });
  const refused = await daemon.execute('web-fetch', { input: { url: `http://127.0.0.1:${away.port}/` } });
  expect(refused.body.outcome.status).toBe('failed');
  expect(refused.body.denials).toMatchObject([
    { capability: 'network', requested: `127.0.0.1:${away.port}` },
  ]);
  expect(away.heard).toEqual([]);
});
