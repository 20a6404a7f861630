// Threat model: T254, T256, T257, T411

import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { httpClient } from '../support/mcp-client.ts';
import { eventsIn, openStream } from '../support/streams.ts';

// Redaction must not tell a right guess of a secret from a wrong one where the guess could have been searched for. The
// property of the search itself is tested in packages/runtime/src/secrets; here are the places where a text comes back.

const public_ = 'sk_live_';
/** Beyond its public beginning, 32 random characters. */
const secret = `${public_}${randomBytes(16).toString('hex')}`;

/** Beginnings of the secret that could be searched for one character at a time, each with a wrong twin. */
const guesses = [1, 2, 8, 14, 15].map((length) => {
  const right = secret.slice(0, public_.length + length);
  return { right, wrong: `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}` };
});

/** The forms in which a guess is written. */
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text).toString('base64').replaceAll('=', ''),
  (text) => Buffer.from(`?${text}`).toString('base64url'),
  (text) => text.replaceAll('_', '%5f'),
  (text) => text.replaceAll('_', String.raw`\u005f`),
  (text) => text.replaceAll('_', '&#x5f;'),
];

/** The bytes that the host that may receive the secret was sent. */
const received: string[] = [];

/** A daemon with skills that hold the secret, and a host that returns what it is sent. */
const shared = sharedDaemon(async (folder) => {
  // Answers while it still receives.
  const server = createServer((request, response) => {
    request.pipe(response);
    request.on('data', (chunk: Buffer) => received.push(chunk.toString()));
  });
  const other = createServer((request, response) => request.pipe(response));
  // Two hosts: an answer is redacted by the name of its host.
  const addresses = ['127.0.0.1', '127.0.0.2'] as const;
  const [host, another] = await Promise.all(
    [server, other].map(async (each, index) => {
      each.listen(0, addresses[index]);
      await once(each, 'listening');
      afterAll(() => void each.close());
      return `http://${addresses[index]}:${(each.address() as AddressInfo).port}`;
    }),
  );
  const file = join(folder, '../token');
  await writeFile(file, secret, { mode: 0o600 });
  const capabilities = {
    exec: ['python3'],
    network: [host, another],
    secrets: [{ name: 'TOKEN', hosts: [host] }],
    state: 'write',
    filesystem: { write: ['workspace'] },
  };
  const post = `import urllib.request
def post(url, text, header=""):
    headers = {"authorization": header} if header else {}
    answer = urllib.request.urlopen(urllib.request.Request(url, data=text.encode(), headers=headers), timeout=20)
    return answer.read().decode()
state = os.environ["AMBIT_STATE"]
`;
  await writeSkills(folder, {
    // Sends a text everywhere that it can.
    speaker: pythonSkill(
      `${post}
text = given["text"]
before = {"file": open("kept").read() if os.path.exists("kept") else None, "state": json.load(open(state)).get("kept")}
print(text, file=sys.stderr)
open("kept", "w").write(text)
open("binary", "wb").write(b"\\xff" + text.encode())
json.dump({"kept": text}, open(state, "w"))
echoed = post("${host}", text) == text
print(json.dumps({"text": text, "echoed": echoed, "before": before}))`,
      { capabilities },
    ),
    // Leaves a text between the parts of a large file, and in the targets of links.
    leaver: pythonSkill(
      `text = given["text"]
open("large", "wb").write(b"x" * (2**20 - 20) + b" " + text.encode() + b" " + b"x" * 2**20)
os.symlink(text, "inside")
os.symlink("/" + text, "outside")
print(json.dumps(None))`,
      { capabilities },
    ),
    // Has the host receive the secret, then asks for a text.
    spender: pythonSkill(
      `${post}
whole = post("${host}", "x" * 100000 + " " + os.environ["TOKEN"]).split(" ")[1]
text = given["text"]
print(json.dumps({"whole": set(whole), "here": post("${host}", text) == text, "elsewhere": post("${another}", text) == text}, default="".join))`,
      { capabilities },
    ),
  });
  const grant = { network: [host, another], secrets: capabilities.secrets };
  return {
    skills: [{ path: folder, tier: 'local' }],
    grants: { speaker: grant, spender: grant, leaver: grant },
    secrets: { TOKEN: { file } },
    audit: { payloads: 'full' },
  };
});

/** Everything that comes back of a call with a text, with the text and what differs by call replaced. */
async function comesBack(workspace: string, text: string): Promise<string> {
  const daemon = shared();
  const body = { input: { text }, workspace, fileContents: true };
  const response = await openStream(daemon, '/skills/speaker/execute', body);
  const events = eventsIn(Buffer.concat(await response.toArray()).toString());
  // Where a stream is cut into events depends on the time.
  const stderr = events.filter(({ name }) => name === 'stderr').map(({ data }) => data.text);
  const others = events.filter(({ name }) => name !== 'stderr').map(({ name, data }) => [name, data]);
  const [record] = await daemon.audit('?skill=speaker&limit=1');
  const files = await Promise.all(
    ['kept', 'binary'].map(async (name) => {
      const answer = await fetch(`${daemon.url}/workspaces/${workspace}/files/${name}`, {
        headers: { authorization: `Bearer ${daemon.key}` },
      });
      return [name, answer.status, Buffer.from(await answer.arrayBuffer()).toString('latin1')];
    }),
  );
  return kindOf(JSON.stringify([others, stderr.join(''), record, files]), text);
}

/** A text without the guess and without what differs between two calls: ids, times, digests, sizes. */
function kindOf(text: string, guess: string): string {
  return text
    .replaceAll(/"(?:base64|blob)":"([^"]*)"/g, (_, base64: string) =>
      JSON.stringify(Buffer.from(base64, 'base64').toString('latin1')),
    )
    .replaceAll(JSON.stringify(JSON.stringify(guess)).slice(3, -3), 'GUESS')
    .replaceAll(JSON.stringify(guess).slice(1, -1), 'GUESS')
    .replaceAll(/[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(?:\.\d+)?/g, '#');
}

test('a right guess of a secret comes back like a wrong one from every place, and the whole secret never', async () => {
  const daemon = shared();
  const made = async (): Promise<string> =>
    (await daemon.request('POST', '/workspaces', { body: {} })).body.id;
  const said = (which: 'right' | 'wrong'): string =>
    guesses.flatMap((guess) => forms.map((form) => form(guess[which]))).join('\n');
  // The second call also sees what the first one left in workspace and state.
  const twice = async (text: string): Promise<[string, string]> => {
    const workspace = await made();
    await comesBack(await made(), 'something else');
    return [await comesBack(workspace, text), await comesBack(workspace, text)];
  };
  const [right, wrong] = [await twice(said('right')), await twice(said('wrong'))];
  expect(right).toEqual(wrong);
  expect(right[1]).toContain('"echoed":true');
  expect(right[1]).not.toContain('redact');

  // The twin: the whole secret is redacted for caller and record, and the workspace is unchanged.
  const workspace = await made();
  await comesBack(workspace, 'before');
  const body = { input: { text: `<${secret}>` }, workspace, fileContents: true };
  const whole = (await daemon.execute('speaker', body)).body;
  const stars = `<${'*'.repeat(secret.length)}>`;
  expect(whole).toMatchObject({
    outcome: { status: 'succeeded', output: { text: stars, echoed: true, before: { file: 'before' } } },
    log: `${stars}\n`,
    files: [
      { path: 'binary', change: 'changed', redacted: true },
      { path: 'kept', change: 'changed', redacted: true, text: stars },
    ],
    workspace: { id: workspace, stored: false, why: '"binary" contains a secret of the skill' },
  });
  const [record] = await daemon.audit('?skill=speaker&limit=1');
  expect(record.redactions).toBeGreaterThan(3);
  expect(JSON.stringify([whole, record.stored.output])).not.toContain(secret);
  // The workspace is unchanged, and the skill gets its file back without asterisks.
  const after = (await daemon.execute('speaker', { ...body, input: { text: 'after' } })).body;
  expect(after.outcome.output.before.file).toBe('before');
});

test('a secret in a large file or in the target of a link of a workspace is redacted or left out, and nothing is stored', async () => {
  const daemon = shared();
  const { id } = (await daemon.request('POST', '/workspaces', { body: {} })).body;
  const leave = async (text: string) =>
    (await daemon.execute('leaver', { input: { text }, workspace: id, fileContents: true })).body;
  const outside = {
    path: 'outside',
    change: 'created',
    bytes: 0,
    omitted: 'not a regular file but a symbolic link that leads out of the workspace',
    leftOut: true,
  };
  const bytes = 2 ** 21 - 20 + 2;
  const whole = await leave(secret);
  expect(whole.files).toEqual([
    {
      path: 'inside',
      change: 'created',
      bytes: 0,
      link: '*'.repeat(secret.length),
      redacted: true,
    },
    {
      path: 'large',
      change: 'created',
      bytes: bytes + secret.length,
      omitted: 'it is too large to redact a secret of the skill in it',
      redacted: true,
    },
    outside,
  ]);
  expect(whole.workspace).toEqual({ id, stored: false, why: '"inside" contains a secret of the skill' });
  const [record] = await daemon.audit('?skill=leaver&limit=1');
  expect(JSON.stringify([whole, record])).not.toContain(secret);
  const shown = async () => (await daemon.request('GET', `/workspaces/${id}`)).body;
  expect(await shown()).toMatchObject({ files: [], links: [] });

  // The twin: the beginning of the secret is no secret.
  const text = secret.slice(0, 16);
  const stored = await leave(text);
  expect(stored.files).toEqual([
    { path: 'inside', change: 'created', bytes: 0, link: text },
    {
      path: 'large',
      change: 'created',
      bytes: bytes + text.length,
      text: expect.stringContaining(` ${text} `),
    },
    outside,
  ]);
  expect(await shown()).toMatchObject({
    files: [{ path: 'large', bytes: bytes + text.length }],
    links: [{ path: 'inside', link: text }],
  });
});

test('a right guess comes back like a wrong one over MCP, in a batch, from an asynchronous call and in a replay', async () => {
  const daemon = shared();
  const client = await httpClient(daemon);
  /** Returns the text that comes back by each of these ways. */
  const answers = async (text: string): Promise<Record<string, unknown>> => {
    const body = { input: { text } };
    const post = (path: string, sent: object, headers = {}) =>
      daemon.request('POST', path, { body: sent, headers });
    const keyed = { 'idempotency-key': randomUUID() };
    const call = () => post('/skills/speaker/execute', body, keyed);
    // In the state, each of these finds the text itself.
    await daemon.execute('speaker', body);
    await call();
    const job = await post('/skills/speaker/execute', body, { prefer: 'respond-async' });
    return {
      replay: (await call()).body,
      job: (await daemon.request('GET', `/executions/${job.body.executionId}?wait=60`)).body,
      batch: (await post('/batch', { calls: [{ skill: 'speaker', ...body }] })).body.results,
      mcp: await client.callTool({ name: 'speaker', arguments: body }),
    };
  };
  const kinds = async (which: 'right' | 'wrong') => {
    const text = guesses.flatMap((guess) => forms.map((form) => form(guess[which]))).join('\n');
    return kindOf(JSON.stringify(await answers(text)), text);
  };
  const [right, wrong] = [await kinds('right'), await kinds('wrong')];
  expect(right).toBe(wrong);
  expect(right.match(/\\*"echoed\\*":true/g)).toHaveLength(4);

  // The twin: the whole secret is redacted in each.
  for (const [way, answer] of Object.entries(await answers(`<${secret}>`))) {
    expect([way, JSON.stringify(answer)]).toEqual([way, expect.stringContaining('*'.repeat(secret.length))]);
    expect(JSON.stringify(answer)).not.toContain(secret);
  }
});

test('a skill gets its secret back redacted only from a host that received it in the call', async () => {
  const daemon = shared();
  const spent = await daemon.execute('spender', { input: { text: `a${secret.slice(0, -1)}` } });
  expect(received.join('')).toContain(`x ${secret}`);
  expect(spent.body.outcome).toEqual({
    status: 'succeeded',
    // Most of the secret is enough for the host that has it. The other one returns the skill's own text.
    output: { whole: '*', here: false, elsewhere: true },
  });
});

test('refused requests do not show whether a guess of the first key is right', async () => {
  const daemon = shared();
  const beginnings = [8, 12, 20, 26, daemon.key.length - 1, daemon.key.length].map((length) =>
    daemon.key.slice(0, length),
  );
  const wrongOf = (text: string): string => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
  const recordOf = async (guess: string): Promise<string> => {
    const mark = randomUUID();
    const answer = await daemon.request('GET', `/no-such-route/${mark}/${guess}`);
    const [record] = await daemon.audit('?limit=1');
    expect(record.request).toContain(mark);
    return kindOf(JSON.stringify([answer, record]), guess);
  };
  for (const guess of beginnings) expect(await recordOf(guess), guess).toBe(await recordOf(wrongOf(guess)));
  // The twin: a whole key is redacted, by its shape.
  expect(await recordOf(daemon.key)).toContain('[redacted]');
});
