// Threat model: T200

import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { localServer } from '../../support/local-server.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';

/** A server on loopback that records its requests. */
async function server(answer: RequestListener) {
  const heard: { url: string | undefined; authorization: string | undefined }[] = [];
  const { port } = await localServer((request, response) => {
    heard.push({ url: request.url, authorization: request.headers.authorization });
    answer(request, response);
  });
  return { port, heard };
}

const python = (url: string): string =>
  `import urllib.request, urllib.error
request = urllib.request.Request(given.get("url", "${url}"), headers={"authorization": "Bearer " + os.environ.get("API_TOKEN", "none")})
try:
  with urllib.request.urlopen(request, timeout=60) as answer:
    print(json.dumps({"status": answer.status, "text": answer.read().decode()}))
except urllib.error.HTTPError as error:
  print(json.dumps({"status": error.code, "text": error.read().decode()}))`;

const script = `import { env, fetch } from 'ambit';
export default async ({ url }) => {
  try {
    const answer = await fetch(url, { headers: { authorization: 'Bearer ' + env('API_TOKEN') } });
    return { status: answer.status, text: answer.text() };
  } catch (error) {
    return { refused: error.message };
  }
};`;

const granted = await server((_, response) => response.end('hello'));
const other = await server((_, response) => response.end('secret things'));
const api = await server((request, response) => response.end(`got ${request.headers.authorization}`));
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
  const keyed = { network: [ruleOf(api)], secrets: [{ name: 'API_TOKEN', hosts: [ruleOf(api)] }] };
  const unavailable = { secrets: [{ name: 'MISSING', hosts: ['api.example'] }] };
  const program = (body: string, capabilities: object) =>
    pythonSkill(body, { capabilities: { ...capabilities, exec: ['python3'] } });
  const module = (text: string, capabilities: object) => ({
    'ambit.yaml': JSON.stringify({ run: { runtime: 'wasm', entry: 'index.js', capabilities } }),
    'index.js': text,
  });
  await writeSkills(skills, {
    program: program(python(`${ruleOf(granted)}/page?q=1`), open),
    script: module(script.replace("'Bearer ' + env('API_TOKEN')", "'none'"), open),
    'keyed-program': program(python(ruleOf(api)), keyed),
    'keyed-script': module(script, keyed),
    shows: program('print(json.dumps(os.environ["API_TOKEN"]))', keyed),
    wants: program('print("{}")', unavailable),
  });
  return {
    skills: [{ path: skills, tier: 'local' }],
    grants: {
      ...{ program: open, script: open, 'web-fetch': { network: [ruleOf(page)] } },
      ...{ 'keyed-program': keyed, 'keyed-script': keyed, shows: keyed, wants: unavailable },
    },
    secrets: { API_TOKEN: { command: ['printf', 's3cret-8Jq2Lm5Rt7WzPq4N'] } },
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
        ...{ host: '127.0.0.1', port: granted.port, method: 'GET', path: '/page' },
        ...{ bytesUp: expect.any(Number), bytesDown: expect.any(Number), decision: 'allowed', rule },
        ...{ at: expect.any(Number), durationMs: expect.any(Number), status: 200 },
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
  expect(granted.heard.map(({ url }) => url)).toEqual(['/page?q=1', '/page?q=1']);
  expect(other.heard).toEqual([]);
});

test('a secret reaches only its host, and the skill sees a placeholder', async () => {
  const daemon = shared();
  for (const skill of ['keyed-program', 'keyed-script']) {
    const { body } = await daemon.execute(skill, { input: { url: ruleOf(api) } });
    expect(body).toMatchObject({ outcome: { status: 'succeeded' } });
    // The server echoes the secret, which is redacted in the output.
    expect(JSON.stringify(body)).not.toContain('s3cret-8Jq2Lm5Rt7WzPq4N');
    expect(body.outcome.output.text).toMatch(/^got Bearer /);
  }
  expect(api.heard.map(({ authorization }) => authorization)).toEqual([
    'Bearer s3cret-8Jq2Lm5Rt7WzPq4N',
    'Bearer s3cret-8Jq2Lm5Rt7WzPq4N',
  ]);
  const shown = await daemon.execute('shows', { input: {} });
  expect(shown.body.outcome.output).toMatch(/^ambit-secret-/);
});

test('an unavailable secret refuses the call before it starts', async () => {
  const { status, body } = await shared().execute('wants', { input: {} });
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'SECRET_UNAVAILABLE' });
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
