// Each test starts a daemon of its own: the claims are about its end.
// Threat model: T291, T292

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import { certificate } from '../../support/certificate.ts';
import { startDaemon } from '../../support/daemon.ts';
import { type Daemon, repository } from '../../support/daemon-process.ts';
import { userFolders } from '../../support/private-home.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isInstalled } from '../support/typed-shell.ts';
import { waiterWorld } from '../support/waiter.ts';

/** A daemon with a running call of the skill `waiter`, which ends with `letGo`. */
async function busy(drainMs: number) {
  const { config, file } = await waiterWorld();
  const { path, make: letGo } = file();
  const daemon = await startDaemon({ ...config, shutdown: { drainMs } });
  const call = daemon.execute('waiter', { input: path });
  await vi.waitUntil(async () => (await daemon.audit('?outcome=running')).length === 1);
  return { daemon, call, letGo };
}

async function draining(daemon: Daemon): Promise<void> {
  daemon.signal('SIGTERM');
  await vi.waitUntil(() => daemon.logged().includes('shutting down: draining'));
}

test('shutdown cancels, answers and records calls that exceed the drain time', async () => {
  const { daemon, call } = await busy(300);
  expect(await daemon.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect((await call).body.outcome).toEqual({ status: 'canceled', reason: 'the daemon is shutting down' });
});

test('a second signal cancels running calls immediately', async () => {
  const { daemon, call } = await busy(3_600_000);
  await draining(daemon);
  expect(await daemon.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect((await call).body.outcome).toEqual({ status: 'canceled', reason: 'the daemon is shutting down' });
});

/** A connection that sends `sent` and nothing more. */
async function connected({ url }: Daemon, sent: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

/** Connections that send nothing, half a head, or a complete request and then stay open. */
const unasking = [
  '',
  'GET /healthz HTTP/1.1\r\nhost: loc',
  'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n',
];

test('shutdown refuses new calls, lets a running call finish, and does not wait for idle connections', async () => {
  const { daemon, call, letGo } = await busy(3_600_000);
  for (const sent of unasking) await connected(daemon, sent);
  await draining(daemon);
  // Also connections that open during shutdown.
  for (const sent of unasking) await connected(daemon, sent);
  const refused = await fetch(`${daemon.url}/skills`, { headers: { authorization: `Bearer ${daemon.key}` } });
  const { headers, status } = refused;
  expect({ status, after: headers.get('retry-after'), connection: headers.get('connection') }).toEqual({
    status: 503,
    after: '5',
    connection: 'close',
  });
  expect(await refused.json()).toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(await daemon.request('GET', '/readyz')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', code: 'SHUTTING_DOWN' },
  });
  expect(await daemon.request('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  await letGo();
  expect((await call).body.outcome).toEqual({ status: 'succeeded', output: 'released' });
  expect(await daemon.stop('SIGCONT')).toEqual({ code: 0, signal: null });
});

test('a TLS handshake that never starts does not delay shutdown', async () => {
  const daemon = await startDaemon({ listen: { tls: certificate(await temporaryFolder(), 'localhost') } });
  await connected(daemon, '');
  expect(await daemon.stop('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('an incomplete body does not delay shutdown: its request is refused, with one record', async () => {
  const daemon = await startDaemon();
  const { body } = await daemon.request('POST', '/workspaces', { body: {} });
  const head = `host: localhost\r\nauthorization: Bearer ${daemon.key}\r\nexpect: 100-continue\r\n`;
  const socket = await connected(
    daemon,
    `PUT /workspaces/${body.id}/files/a HTTP/1.1\r\n${head}content-type: application/octet-stream\r\ncontent-length: 9\r\n\r\nhalf`,
  );
  const answer = text(socket);
  // The head has been read when this is sent.
  await once(socket, 'readable');
  expect(await daemon.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await answer).toMatch(/^HTTP\/1\.1 100 .*HTTP\/1\.1 503 .*"code":"SHUTTING_DOWN"/s);
  const { events } = walkLog(join(daemon.dataDir, 'audit.db'));
  expect(events.filter(({ event }) => event.kind === 'request.denied')).toMatchObject([
    { event: { code: 'SHUTTING_DOWN' } },
  ]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.skipIf(!isInstalled('script'))(
  'a daemon shuts down when its terminal closes, also if its shell exits first (needs script)',
  async () => {
    const folder = await temporaryFolder();
    const serve = `${process.execPath} ${join(repository, 'packages/cli/src/ambit.mjs')} serve --port 0 --data-dir data`;
    const terminal = spawn('script', ['-qec', `${serve}; true`, '/dev/null'], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        SHELL: '/bin/sh',
        TERM: 'dumb',
        ...userFolders(),
      },
    });
    let shown = '';
    terminal.stdout?.on('data', (part: Buffer) => {
      shown += part.toString();
    });
    const url = await vi.waitUntil(() => /listening on (http:\S+)/.exec(shown)?.[1]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const { pid } = JSON.parse(await readFile(join(folder, 'data/daemon.json'), 'utf8'));
    terminal.kill('SIGTERM');
    await vi.waitUntil(() => !isAlive(pid));
  },
);
