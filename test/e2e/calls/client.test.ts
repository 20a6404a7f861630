// Threat model: T244

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import {
  type AmbitClient,
  AmbitProblem,
  ambitClient,
  UnsendableError,
} from '../../../packages/client/src/index.ts';
import { findDaemon } from '../../../packages/client/src/node.ts';
import { startDaemon } from '../../support/daemon.ts';
import { type Daemon, repository } from '../../support/daemon-process.ts';
import { userFolders } from '../../support/private-home.ts';
import { pythonSkill } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sharedWaiter } from '../support/waiter.ts';

const client = join(repository, 'packages/client');
const csv = 'a,b\n1,2\n';
const redacted = { status: 'succeeded', output: { text: 'to [redacted-email]' } };
const mail = { text: 'to ada@example.org' };

/** Writes a file into its workspace, with the name from its input. */
const inWorkspace = pythonSkill('open(given, "w").write("kept"); print(json.dumps(given))', {
  capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
});

/** Says 40 lines, one after the other. */
const talker = pythonSkill(
  'for n in range(40):\n  print(f"line {n}", file=sys.stderr, flush=True)\n  time.sleep(0.03)\nprint(json.dumps("said"))',
);

const { daemon, file: newFile } = sharedWaiter({
  keeper: inWorkspace,
  once: pythonSkill('print(json.dumps(given))'),
  talker,
});

const clientOf = ({ url, key }: Daemon) => ambitClient({ url, key });

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('the client calls a skill, gets a refusal with the missing grant, and reads the log', async () => {
  const ambit = clientOf(daemon());
  const since = Date.now();
  const ran = await ambit.execute('text-redact', mail, { receipt: true });
  expect(ran).toMatchObject({ outcome: redacted, receipt: { statement: { outcome: 'succeeded' } } });

  const denied = await caught(ambit.execute('web-fetch', { url: 'http://127.0.0.1:9/' }));
  expect(denied).toBeInstanceOf(AmbitProblem);
  expect(denied).toMatchObject({
    code: 'CAPABILITY_DENIED',
    status: 403,
    denials: [{ capability: 'network', remedy: 'grants: { web-fetch: { network: [host.example] } }' }],
  });
  expect(await caught(ambit.execute('csv-profile', { cvs: 1 }))).toMatchObject({
    code: 'INPUT_INVALID',
    issues: [{ at: '/cvs' }, { at: '' }],
  });
  const chain = await ambit.chain({ input: mail, steps: [{ skill: 'text-redact' }] });
  expect(chain).toMatchObject({ outcome: redacted, links: [{ position: 1, skillId: 'text-redact' }] });

  const { audit } = ambit;
  const records = await Array.fromAsync(audit.records({ since }));
  expect(records.map(({ skill, outcome }) => [skill?.id, outcome])).toEqual([
    ['text-redact', 'succeeded'],
    ['csv-profile', 'denied'],
    ['web-fetch', 'denied'],
    ['text-redact', 'succeeded'],
  ]);
  expect(await Array.fromAsync(audit.export({ since }))).toEqual(records.toReversed());
  expect(await audit.page({ limit: 1, skill: 'text-redact', since })).toMatchObject({
    records: [{ executionId: records[0]?.executionId }],
    next: expect.any(Number),
  });
  expect(await audit.record(ran.executionId)).toEqual(records[3]);
  expect(await audit.count({ outcome: 'denied', since })).toBe(2);
  expect(await audit.stats({ since })).toMatchObject({ all: { calls: 4, denied: 2 } });
  expect(await audit.verify()).toMatchObject({ intact: true });
  expect(await audit.receipt(ran.executionId)).toMatchObject({
    statement: { executionId: ran.executionId },
  });
});

test('the client reads the catalog, prompts and metrics', async () => {
  const ambit = clientOf(daemon());
  const { skills, broken } = await ambit.skills({ executable: true, q: 'profiles csv' });
  expect([skills[0]?.id, broken]).toEqual(['csv-profile', []]);
  expect(await ambit.skill('csv-profile')).toMatchObject({ id: 'csv-profile', run: { protocol: 'json' } });
  expect(await caught(ambit.skill('csv-profil'))).toMatchObject({ code: 'SKILL_NOT_FOUND', status: 404 });
  expect(await ambit.body('csv-profile')).toMatch(/^#? ?\S/);
  const { files } = await ambit.files('csv-profile');
  expect(files.map(({ path }) => path)).toContain('scripts/run.py');
  const script = await ambit.file('csv-profile', 'scripts/run.py');
  expect(Buffer.from(script)).toEqual(await readFile(join(repository, 'skills/csv-profile/scripts/run.py')));
  expect(await caught(ambit.file('csv-profile', '../../audit'))).toBeInstanceOf(UnsendableError);
  expect(await ambit.metrics()).toMatch(/^# HELP ambit_/m);
  const { prompt } = await ambit.prompt({ only: ['csv-profile'], systemPrompt: 'Be brief.' });
  expect(prompt).toMatch(/^Be brief\.[\s\S]*<name>csv-profile<\/name>/);
});

test('a workspace preserves files across calls, and many calls run at the same time', async () => {
  const ambit = clientOf(daemon());
  const { workspaces } = ambit;
  const { id } = await workspaces.create({ label: 'mine' });
  const [given, path] = [Buffer.from('[1]'), 'in/a b.json'];
  expect(await workspaces.put(id, path, given)).toMatchObject({ path, bytes: 3 });
  expect(await caught(workspaces.put(id, '../a', given))).toBeInstanceOf(UnsendableError);
  const ran = await ambit.execute('keeper', 'out.txt', { workspace: id });
  expect(ran).toMatchObject({ outcome: { status: 'succeeded' }, workspace: { id, stored: true } });
  expect(Buffer.from(await workspaces.read(id, 'out.txt')).toString()).toBe('kept');
  const range = { start: 1, end: 3 };
  expect(Buffer.from(await workspaces.read(id, 'out.txt', { range })).toString()).toBe('ep');
  await workspaces.removeFile(id, path);
  expect((await workspaces.get(id)).files.map((file) => file.path)).toEqual(['out.txt']);
  expect(await workspaces.list()).toMatchObject([{ id, label: 'mine', fileCount: 1 }]);
  await workspaces.remove(id);
  expect(await caught(workspaces.get(id))).toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });

  const batch = { calls: [{ skill: 'text-redact', input: mail }, { skill: 'none' }] };
  const results = [
    { status: 200, answer: { outcome: redacted } },
    { status: 404, problem: { code: 'SKILL_NOT_FOUND' } },
  ];
  expect(await ambit.batch(batch)).toMatchObject({ results });
  const events = await Array.fromAsync(ambit.streamBatch(batch));
  expect(events.filter(({ kind }) => kind === 'call')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ kind: 'result', answer: { results } });
});

test('the client streams the events of a call over connections that break repeatedly', async () => {
  const proxy = await cuttingProxy(daemon(), 700, 5);
  const ambit = ambitClient({
    url: proxy.url,
    key: daemon().key,
    retries: { max: 9, firstMs: 1, longestMs: 50 },
  });
  const events = await Array.fromAsync(ambit.stream('talker', 1));
  expect(events.at(-1)).toMatchObject({ kind: 'result', answer: { outcome: { output: 'said' } } });
  const said = events.map((event) => (event.kind === 'stderr' ? event.text : '')).join('');
  expect(said).toBe(Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(''));
  expect(proxy.connections()).toBe(6);
  expect(await daemon().audit('?skill=talker')).toMatchObject([{ outcome: 'succeeded' }]);
});

test('a call with an idempotency key runs once, however often its connection breaks', async () => {
  // Connections carry requests but no answers, until they are let through.
  const proxy = await cuttingProxy(daemon(), 0, 3);
  const ambit = ambitClient({ url: proxy.url, key: daemon().key, retries: { firstMs: 1, longestMs: 500 } });
  const ran = await ambit.execute('once', { csv }, { idempotencyKey: true });
  expect(ran.outcome).toEqual({ status: 'succeeded', output: { csv } });
  expect(proxy.connections()).toBeGreaterThan(3);
  expect(await daemon().audit('?skill=once')).toMatchObject([
    { executionId: ran.executionId, outcome: 'succeeded' },
  ]);
});

test('the client starts a call, reads its status, follows it, waits for it and cancels it', async () => {
  const ambit = clientOf(daemon());
  const [file, never] = [newFile(), newFile()];
  const { executionId, answer } = await ambit.start('waiter', file.path);
  expect(answer).toBe(undefined);
  expect(await ambit.execution(executionId)).toMatchObject({ executionId, endedAt: null });
  const abort = new AbortController();
  const waiting = caught(ambit.wait(executionId, { signal: abort.signal }));
  abort.abort('not now');
  expect(await waiting).toBe('not now');
  await file.make();
  const done = { executionId, outcome: { status: 'succeeded', output: 'released' } };
  expect(await ambit.wait(executionId)).toMatchObject(done);
  expect((await Array.fromAsync(ambit.watch(executionId))).at(-1)).toMatchObject({
    kind: 'result',
    answer: done,
  });

  const other = await ambit.start('waiter', never.path);
  expect(await ambit.cancel(other.executionId)).toMatchObject({ status: 'finished', outcome: 'canceled' });
  expect(await ambit.wait(other.executionId)).toMatchObject({ outcome: { status: 'canceled' } });
  expect(await caught(ambit.wait('none'))).toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
});

test.each<[string, (ambit: AmbitClient, path: string, signal: AbortSignal) => Promise<unknown>]>([
  ['that is waited for', (ambit, path, signal) => ambit.execute('waiter', path, { signal })],
  ['under a key', (ambit, path, signal) => ambit.execute('waiter', path, { signal, idempotencyKey: true })],
  ['that is streamed', (ambit, path, signal) => Array.fromAsync(ambit.stream('waiter', path, { signal }))],
])('aborting a call %s cancels it', async (_, call) => {
  const ambit = clientOf(daemon());
  const { last } = (await daemon().request('GET', '/audit/chain')).body;
  const abort = new AbortController();
  const follow = new AbortController();
  const ended = (async () => {
    for await (const { event } of ambit.audit.follow({ after: last.sequence, signal: follow.signal })) {
      if (event.kind === 'call.started') abort.abort('enough');
      if (event.kind === 'call.finished') return event['outcome'];
    }
    return undefined;
  })();
  expect(await caught(call(ambit, newFile().path, abort.signal))).toBe('enough');
  expect(await ended).toBe('canceled');
  follow.abort();
});

test('the client finds a daemon by its data directory and sends its key only to that daemon', async () => {
  // It is stopped.
  const own = await startDaemon();
  const { url, key, dataDir } = own;
  expect(await findDaemon({ dataDir, environment: {} })).toEqual({ url, key });
  expect(await findDaemon({ environment: { AMBIT_DATA_DIR: dataDir } })).toEqual({ url, key });
  expect(await findDaemon({ environment: { AMBIT_URL: 'http://a', AMBIT_KEY: 'k' } })).toEqual({
    url: 'http://a',
    key: 'k',
  });
  const elsewhere = { url: 'http://127.0.0.1:1', environment: {} };
  expect(await findDaemon({ ...elsewhere, keyFile: join(dataDir, 'key') })).toEqual({
    url: elsewhere.url,
    key,
  });
  const named = { AMBIT_URL: elsewhere.url, AMBIT_KEY_FILE: join(dataDir, 'key'), AMBIT_KEY: 'k' };
  expect(await findDaemon({ environment: named })).toEqual({ url: elsewhere.url, key });
  const refused = await caught(findDaemon({ ...elsewhere, dataDir }));
  expect(refused).toMatchObject({
    message: expect.stringMatching(/^no key for http:\/\/127\.0\.0\.1:1: /),
  });

  await chmod(join(dataDir, 'key'), 0o644);
  expect(await caught(findDaemon({ dataDir, environment: {} }))).toMatchObject({ name: 'KeyFileError' });
  await chmod(join(dataDir, 'key'), 0o600);
  // Its announcement still exists.
  await own.stop('SIGKILL');
  expect(await caught(findDaemon({ dataDir, environment: {} }))).toMatchObject({
    message: expect.stringMatching(/^no daemon is running for the data directory /),
  });
});

test('the client runs with browser APIs alone', async () => {
  const { url, key } = daemon();
  const bundle = await rolldown({ input: join(client, 'src/index.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'ambit' });
  await bundle.close();
  const { AbortController, AbortSignal, TextDecoder, URL, URLSearchParams } = globalThis;
  const { Blob, clearTimeout, crypto, fetch, setTimeout } = globalThis;
  const platform = { AbortController, AbortSignal, TextDecoder, URL, URLSearchParams };
  const world = createContext({
    ...platform,
    Blob,
    clearTimeout,
    crypto,
    fetch,
    setTimeout,
    daemon: { url, key },
    mail,
  });
  const script = `(async () => {
    const client = ambit.ambitClient({ url: daemon.url, key: daemon.key });
    const kinds = [];
    for await (const { kind } of client.stream('text-redact', mail)) kinds.push(kind);
    const once = await client.execute('text-redact', mail, { idempotencyKey: true });
    return JSON.stringify([once.outcome.output.text, kinds.at(-1)]);
  })()`;
  expect(JSON.parse(await runInContext(`${output[0].code};\n${script}`, world))).toEqual([
    ...['to [redacted-email]', 'result'],
  ]);
  // Unminified and with comments: it is small because it has no dependencies.
  expect(output[0].code.length).toBeLessThan(48 * 1024);
});

test('the example of the README runs unchanged', async () => {
  const { dataDir } = daemon();
  const readme = await readFile(join(client, 'README.md'), 'utf8');
  const { printed, failed } = await runExample(/```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '', dataDir);
  expect(failed).toBe('');
  expect(printed).toMatch(
    /^\{[\s\S]*rows: 1,[\s\S]*status: 'succeeded',[\s\S]*\[redacted-email\][\s\S]*\nCAPABILITY_DENIED\ngrants: \{ web-fetch: .*\n$/,
  );
});

test('the examples of docs/client.md run, and install, review and approve skills', async () => {
  const page = await readFile(join(repository, 'docs/client.md'), 'utf8');
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const [first = ''] = blocks;
  const installs = blocks.find((block) => block.includes('installs.add')) ?? '';
  const program = first + installs.replace('/srv/acme', join(repository, 'examples/skills'));
  const { printed, failed } = await runExample(program, daemon().dataDir);
  expect(failed).toBe('');
  expect(printed).toMatch(/^\{[^}]*\[redacted-email\][\s\S]*acme:log-digest \[/);
  expect(printed.match(/^.* at verified, event/gm)).toEqual(
    ['log-digest', 'meeting-notes', 'package-order', 'release-notes', 'word-count'].map(
      (name) => `acme:${name} at verified, event`,
    ),
  );
  const states = (await clientOf(daemon()).installs.list()).map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(['approved']));
});

/** Runs a program that uses the client, with the daemon of a data directory. */
async function runExample(code: string, dataDir: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'node_modules/@ambit'), { recursive: true });
  await symlink(client, join(folder, 'node_modules/@ambit/client'));
  await writeFile(join(folder, 'example.mts'), code);
  const child = spawn(process.execPath, ['example.mts'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', AMBIT_DATA_DIR: dataDir, NO_COLOR: '1', ...userFolders() },
  });
  const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { printed, failed };
}

/** Passes `bytesMax` bytes of each answer and then breaks the connection; with `broken`, only for the first ones. */
async function cuttingProxy({ url }: Daemon, bytesMax: number, broken = Number.POSITIVE_INFINITY) {
  const { hostname, port } = new URL(url);
  let connections = 0;
  const server = createServer((inside) => {
    const isCut = connections < broken;
    connections += 1;
    const outside = connect(Number(port), hostname);
    let bytes = 0;
    inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
    outside.on('error', () => inside.destroy()).on('close', () => inside.destroySoon());
    inside.pipe(outside);
    outside.on('data', (chunk) => {
      const most = isCut ? bytesMax - bytes : chunk.length;
      bytes += chunk.length;
      if (chunk.length <= most) inside.write(chunk);
      else if (most > 0) inside.end(chunk.subarray(0, most));
      else inside.resetAndDestroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on a port');
  return { url: `http://127.0.0.1:${address.port}`, connections: () => connections };
}
