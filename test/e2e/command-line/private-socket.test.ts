// Threat model: T419, T420, T422, T423

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withKey } from '../../../packages/server/src/testing/daemon-keys.ts';
import { overSocket, socketOf, userName } from '../../../packages/server/src/testing/over-socket.ts';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runtimeDir } from '../../support/without-socket.ts';
import { claimsOfTheSocket, overConnection, request, sent } from '../support/over-tcp.ts';

const user = userName();
const isRoot = process.getuid?.() === 0;

const daemon = sharedDaemon(async (root) => {
  await writeSkills(root, { slow: pythonSkill('time.sleep(600)', { limits: { timeoutMs: 600_000 } }) });
  return { skills: [{ path: root, tier: 'local' }] };
});

/** Runs a skill from the command line, with the data directory of a daemon. */
async function run({ dataDir }: Daemon, options: Parameters<typeof ambit>[1] = {}): Promise<number | null> {
  const { code } = await ambit(
    ['run', 'text-redact', '--input', '{"text":"a"}', '--data-dir', dataDir],
    options,
  );
  return code;
}

/** The entry point and the actor of the last call. */
async function lastCaller(running: Daemon): Promise<object> {
  const [record] = await running.audit('?limit=1');
  return { via: record.via, actor: record.actor };
}

test('a command is recorded as cli, with the name of the user, and its socket is for that user only', async () => {
  expect(await run(daemon())).toBe(0);
  expect(await lastCaller(daemon())).toEqual({ via: 'cli', actor: user });
  const socket = (await socketOf(daemon())) ?? '';
  const found = await Promise.all(
    [socket, dirname(socket), dirname(dirname(socket))].map((each) => lstat(each)),
  );
  expect(found.map(({ mode, uid }) => [mode & 0o777, uid])).toEqual(
    [0o600, 0o700, 0o700].map((mode) => [mode, process.getuid?.()]),
  );
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103);
  expect(socket.startsWith(dirname(daemon().dataDir))).toBe(false);
});

test('a key that is named for a command takes effect on the socket, and is recorded as over HTTP', async () => {
  const narrow = await withKey(daemon(), 'narrow', { scopes: ['skills:execute'] });
  expect(await run(daemon(), { env: { AMBIT_KEY: narrow.key } })).toBe(0);
  expect(await lastCaller(daemon())).toEqual({ via: 'http', actor: 'narrow' });
  const send = await overSocket(daemon());
  const status = async (authorization?: string): Promise<number> => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await send('http://localhost/audit?limit=1', { headers });
    await answer.text();
    return answer.status;
  };
  expect(await status()).toBe(200);
  expect(await status(`Bearer ${narrow.key}`)).toBe(403);
  expect(await status('Bearer wrong')).toBe(401);
  expect(await status('')).toBe(401);
});

test('the refusal of a command is recorded as cli too', async () => {
  const send = await overSocket(daemon());
  const refused = await send('http://localhost/skills/unknown/execute', { method: 'POST', body: '{}' });
  expect(refused.status).toBe(415);
  await refused.text();
  expect(await lastCaller(daemon())).toEqual({ via: 'cli', actor: user });
});

test('a command that stops waiting cancels its call', async () => {
  const send = await overSocket(daemon());
  const ended = new AbortController();
  const call = send('http://localhost/skills/slow/execute', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"input":1}',
    signal: ended.signal,
  });
  call.catch(() => undefined);
  await expect.poll(async () => (await daemon().audit('?skill=slow')).length).toBe(1);
  ended.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await expect.poll(async () => (await daemon().audit('?skill=slow'))[0].outcome).toBe('canceled');
});

describe('a request over TCP', () => {
  test.each(claimsOfTheSocket(user))(
    '%s is refused without a key, and stays http with one',
    async (_, headers, query = '') => {
      const path = `/skills/text-redact/execute${query}`;
      const before = await daemon().audit('?limit=1');
      expect(await sent(daemon(), path, headers)).toBe(401);
      expect(await lastCaller(daemon())).toEqual({ via: 'http', actor: null });
      await sent(daemon(), path, { ...headers, authorization: `Bearer ${daemon().key}` });
      expect(await lastCaller(daemon())).toEqual({ via: 'http', actor: 'key' });
      const [last] = before;
      const since = (await daemon().audit()).filter(({ sequence }) => sequence > last.sequence);
      expect(since.filter(({ via }) => via !== 'http')).toEqual([]);
    },
  );

  test('after one with a key, on the same connection, needs a key of its own', async () => {
    const answers = await overConnection(
      daemon(),
      request('GET /skills', { authorization: `Bearer ${daemon().key}` }) +
        request('GET /skills', { connection: 'close' }),
    );
    expect(answers).toEqual([200, 401]);
  });

  test.each([
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['an upgrade to HTTP/2', request('GET /skills', { connection: 'Upgrade, close', upgrade: 'h2c' }), [401]],
    ['a CONNECT to the socket', 'CONNECT unix:/tmp HTTP/1.1\r\nhost: localhost\r\n\r\n', [400]],
    [
      'a target of another scheme',
      request('GET http+unix://localhost/skills', { connection: 'close' }),
      [400],
    ],
    ['an empty key', request('GET /skills', { authorization: '', connection: 'close' }), [401]],
  ])('with %s is refused', async (_, bytes, statuses) => {
    expect(await overConnection(daemon(), bytes)).toEqual(statuses);
    expect(await lastCaller(daemon())).toMatchObject({ via: 'http' });
  });
});

test('the daemons of two data directories have two sockets, which end with them', async () => {
  const [one, two] = [await startDaemon(), await startDaemon()];
  const sockets = [(await socketOf(one)) ?? '', (await socketOf(two)) ?? ''];
  expect(new Set(sockets).size).toBe(2);
  expect(await run(one)).toBe(0);
  expect(await lastCaller(one)).toEqual({ via: 'cli', actor: user });
  expect(await two.audit()).toEqual([]);
  await one.stop();
  expect(await exists(dirname(sockets[0] ?? ''))).toBe(false);
  expect(await exists(sockets[1] ?? '')).toBe(true);
  expect(await run(two)).toBe(0);
});

test('the socket is in XDG_RUNTIME_DIR, and a command without that variable finds it', async () => {
  const runtime = await runtimeDir();
  const own = await startDaemon({}, { env: { XDG_RUNTIME_DIR: runtime } });
  const socket = (await socketOf(own)) ?? '';
  expect(dirname(dirname(socket))).toBe(join(runtime, 'ambit'));
  expect(await run(own)).toBe(0);
  expect(await lastCaller(own)).toEqual({ via: 'cli', actor: user });
  await own.stop();
  expect(await exists(socket)).toBe(false);
});

const unusable: [string, (folder: string) => Promise<unknown>][] = [
  ['is open to other users', (folder) => chmod(folder, 0o755)],
  ['does not exist', (folder) => rm(folder, { recursive: true })],
  ['is a file', (folder) => rm(folder, { recursive: true }).then(() => writeFile(folder, ''))],
];
if (isRoot) unusable.push(['belongs to another user', (folder) => chown(folder, 65_534, 65_534)]);

test.each(unusable)('an XDG_RUNTIME_DIR that %s is not used', async (_, change) => {
  const runtime = await runtimeDir();
  await change(runtime);
  const own = await startDaemon({}, { env: { XDG_RUNTIME_DIR: runtime } });
  expect(dirname(dirname((await socketOf(own)) ?? ''))).toBe(`/tmp/ambit-${process.getuid?.()}`);
});

test('an XDG_RUNTIME_DIR that is too deep for the path of a socket is not used', async () => {
  const runtime = join(await runtimeDir(), 'deep'.repeat(20));
  await mkdir(runtime, { mode: 0o700 });
  const own = await startDaemon({}, { env: { XDG_RUNTIME_DIR: runtime } });
  const socket = (await socketOf(own)) ?? '';
  expect(dirname(dirname(socket))).toBe(`/tmp/ambit-${process.getuid?.()}`);
  expect(await run(own)).toBe(0);
  expect(await lastCaller(own)).toEqual({ via: 'cli', actor: user });
});

const plants: [string, (folder: string) => Promise<unknown>, string][] = [
  ['a link to another folder', async (folder) => symlink(await temporaryFolder(), folder), 'is not a folder'],
  ['a file', (folder) => writeFile(folder, ''), 'is not a folder'],
  [
    'a folder that is open to other users',
    async (folder) => mkdir(folder).then(() => chmod(folder, 0o755)),
    'has the mode 755 instead of 700',
  ],
];
if (isRoot)
  plants.push([
    'a folder of another user',
    async (folder) => mkdir(folder, { mode: 0o700 }).then(() => chown(folder, 65_534, 65_534)),
    'belongs to another user (uid 65534)',
  ]);

describe.each(plants)('%s in the place of the socket', (_, plant, why) => {
  test('is refused with a code, and the daemon and its commands work without the socket', async () => {
    const runtime = await runtimeDir();
    await plant(join(runtime, 'ambit'));
    const own = await startDaemon({}, { env: { XDG_RUNTIME_DIR: runtime } });
    expect(warnings(own)).toEqual([
      {
        code: 'ADDRESS_UNAVAILABLE',
        msg: `cannot use the private socket of the command line: ${join(runtime, 'ambit')} ${why}. Remove it, or set XDG_RUNTIME_DIR to another folder of yours with mode 700, and start the daemon again. Until then, commands use the daemon's address and its first key`,
      },
    ]);
    expect(await socketOf(own)).toBe(undefined);
    expect(await run(own)).toBe(0);
    expect(await lastCaller(own)).toEqual({ via: 'http', actor: 'key' });
  });
});

test('the next daemon replaces a socket that a killed daemon left', async () => {
  const folder = await temporaryFolder();
  const start = () => startDaemon({}, { dataDir: join(folder, 'data') });
  const killed = await start();
  const socket = (await socketOf(killed)) ?? '';
  await killed.stop('SIGKILL');
  expect((await lstat(socket)).isSocket()).toBe(true);
  const next = await start();
  expect(await socketOf(next)).toBe(socket);
  expect(await run(next)).toBe(0);
  expect(await lastCaller(next)).toEqual({ via: 'cli', actor: user });
});

test('a socket on which another process listens is not replaced, and the daemon serves without one', async () => {
  const folder = await temporaryFolder();
  const start = () => startDaemon({}, { dataDir: join(folder, 'data') });
  const first = await start();
  const socket = (await socketOf(first)) ?? '';
  await first.stop();
  await mkdir(dirname(socket), { mode: 0o700 });
  const other = createServer((connection) => connection.on('error', () => undefined).end('other')).listen({
    path: socket,
  });
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const own = await start();
  expect(warnings(own)).toMatchObject([
    { code: 'ADDRESS_UNAVAILABLE', msg: expect.stringContaining(`another process listens at ${socket}`) },
  ]);
  expect(await run(own)).toBe(0);
  expect(await lastCaller(own)).toEqual({ via: 'http', actor: 'key' });
  expect(await text(connect({ path: socket }))).toBe('other');
});

test('a command does not use an announced socket that is not in the folder of its data directory', async () => {
  const [own, other] = [await startDaemon(), daemon()];
  const file = join(own.dataDir, 'daemon.json');
  const announced = JSON.parse(await readFile(file, 'utf8'));
  for (const socket of [await socketOf(other), `${announced.socket}.away`, '/nowhere/daemon.sock', '']) {
    await writeFile(file, JSON.stringify({ ...announced, socket }));
    expect(await run(own)).toBe(0);
    expect(await lastCaller(own)).toEqual({ via: 'http', actor: 'key' });
  }
  await writeFile(file, JSON.stringify(announced));
  expect(await run(own)).toBe(0);
  expect(await lastCaller(own)).toEqual({ via: 'cli', actor: user });
});

test.skipIf(!isRoot)(
  'another user of the machine cannot connect, and the user of the daemon can',
  async () => {
    const socket = (await socketOf(daemon())) ?? '';
    const connecting = `require('node:net').connect(${JSON.stringify(socket)}).on('connect', () => { console.log('connected'); process.exit() }).on('error', (error) => console.log(error.code))`;
    const as = (...user: string[]) =>
      spawnSync('setpriv', [...user, '--', process.execPath, '-e', connecting], {
        encoding: 'utf8',
      }).stdout.trim();
    expect(as('--reuid', '65534', '--regid', '65534', '--clear-groups')).toBe('EACCES');
    expect(as('--reuid', '0')).toBe('connected');
  },
);

test('a workspace of the command line is the first key’s, and no other key’s', async () => {
  const send = await overSocket(daemon());
  const made = await send('http://localhost/workspaces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  expect(await daemon().request('GET', `/workspaces/${id}`)).toMatchObject({ status: 200 });
  const other = await withKey(daemon(), 'other', { scopes: ['admin'] });
  expect(await other.request('GET', `/workspaces/${id}`)).toMatchObject({ status: 404 });
});

/** The warnings in the log of a daemon. */
function warnings(running: Daemon): object[] {
  return running
    .logged()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    .flatMap(({ level, code, msg }) => (level === 40 ? [{ code, msg }] : []));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
