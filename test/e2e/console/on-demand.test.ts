// Each test has daemons of its own: the claims are about their starts and ends.
// Threat model: T437, T438, T439

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { announcedDaemon } from '../../../packages/client/src/node.ts';
import { userName } from '../../../packages/server/src/testing/over-socket.ts';
import { certificate } from '../../support/certificate.ts';
import { openSession } from '../../support/console-session.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { freePort } from '../../support/free-port.ts';
import { pythonSkill } from '../../support/skills.ts';
import { until } from '../../support/until.ts';
import { isAlive, onDemandWorld } from '../support/on-demand.ts';
import { claimsOfTheSocket, overConnection, request, sent } from '../support/over-tcp.ts';

const skills = { double: pythonSkill("print(json.dumps(given['n'] * 2))") };

/** A configuration, and commands about the console of its daemon. */
async function world(more: object = {}) {
  const { file, dataDir, ...about } = await onDemandWorld(skills, more);
  const run = (...words: string[]) => ambit([...words, '--config', file]);
  /** The URL at which the console listens, and a code to sign in there. */
  const signInAddress = async () => {
    const { code, stdout, stderr } = await run('console', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [page = '', secret = ''] = (JSON.parse(stdout) as { url: string }).url.split('#code=');
    expect(page).toMatch(/^https?:\/\/127\.0\.0\.1:\d+\/console\/$/);
    return { url: new URL(page).origin, page, code: secret };
  };
  const signIn = async () => {
    const { url, code } = await signInAddress();
    return openSession(url, code);
  };
  /** Changes keys of the configuration. */
  const configure = async (next: object) => {
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...next }));
  };
  const reload = async (next: object) => {
    await configure(next);
    expect(await run('config', 'reload')).toMatchObject({ code: 0 });
  };
  return { ...about, dataDir, run, signInAddress, signIn, configure, reload };
}

/** Resolves once nothing listens at a URL. */
async function closed(url: string): Promise<void> {
  await until(async () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
}

/** The local addresses at which processes of this machine listen on a TCP port, as hexadecimal numbers. */
async function listening(port: string): Promise<string[]> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  const rows = tables.flatMap((table) => table.split('\n').map((row) => row.trim().split(/\s+/)));
  const wanted = Number(port).toString(16).toUpperCase().padStart(4, '0');
  return rows.flatMap(([, local = '', , state]) => {
    const [address = '', at] = local.split(':');
    return state === '0A' && at === wanted ? [address] : [];
  });
}

test('ambit console starts a daemon, which listens on loopback for its console until the last session ends, and then ends', async () => {
  const { dataDir, daemon, ended, reload, run, signInAddress, signIn } = await world({
    listen: { host: '0.0.0.0', allowRemote: true },
  });
  const { url, page, code } = await signInAddress();
  const first = await openSession(url, code);
  expect(await listening(new URL(url).port)).toEqual(['0100007F']);
  const { pid, console: announced } = await daemon();
  expect(announced).toBe(page);
  // From now on, it ends between two commands unless the session counts as use.
  await reload({ shutdown: { idleMs: 100 } });
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout);
  expect(checks.find(({ name }: { name: string }) => name === 'daemon').found).toContain(
    `, web console ${page}, log `,
  );
  expect((await run('config')).stderr).toContain(`Web console: ${page}.`);

  const { code: confirmation } = JSON.parse((await run('console', 'confirm', '--json')).stdout);
  const unlocked = await first.request('POST', '/console/session/unlock', { body: { code: confirmation } });
  expect(unlocked.status).toBe(200);
  const call = await first.request('POST', '/skills/double/execute', { body: { input: { n: 2 } } });
  expect(call.body).toMatchObject({ outcome: { status: 'succeeded', output: 4 } });
  const codes = await first.request('POST', '/console/codes', { body: { purpose: 'sign-in' } });
  expect(codes.body).toMatchObject({ code: 'SCOPE_MISSING' });

  const second = await signIn();
  const sessions = JSON.parse((await run('console', 'sessions', '--json')).stdout).sessions;
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
  expect(await run('console', 'revoke', first.id)).toMatchObject({ code: 0 });
  expect((await first.request('GET', '/console/session')).status).toBe(401);
  expect((await second.request('GET', '/console/session')).status).toBe(200);
  expect((await daemon()).pid).toBe(pid);

  expect((await second.request('DELETE', '/console/session')).status).toBe(204);
  await closed(url);
  await ended();
  await until(async () => !(await isAlive(pid)));
  const { stdout } = await ambit(['audit', '--json', '--data-dir', dataDir]);
  expect(JSON.parse(stdout).records.at(-1)).toMatchObject({ via: 'http', actor: `console:${first.id}` });
});

test('no request at the address of the console is the user or a key, whatever it contains', async () => {
  const { dataDir, signIn, signInAddress, run } = await world();
  const session = await signIn();
  const { url } = await signInAddress();
  const authorization = `Bearer ${(await readFile(join(dataDir, 'key'), 'utf8')).trim()}`;
  for (const [, headers, query = ''] of claimsOfTheSocket(userName())) {
    const path = `/skills/double/execute${query}`;
    const isHalved = headers['ambit-session'] !== undefined;
    expect(await sent({ url }, path, headers)).toBe(isHalved ? 401 : 403);
    expect(await sent({ url }, path, { ...headers, authorization })).toBe(403);
  }
  for (const [method, path, body] of [
    ['GET', '/skills'],
    ['GET', '/metrics'],
    ['POST', '/console/codes', { purpose: 'sign-in' }],
    ['POST', '/mcp', {}],
    ['GET', '/nowhere'],
  ] as const) {
    const { status, body: refusal } = await session.request(method, path, {
      headers: { authorization },
      ...(body !== undefined && { body }),
    });
    expect({ path, status, code: refusal.code }).toEqual({ path, status: 403, code: 'CONSOLE_ONLY' });
  }
  for (const [bytes, statuses] of [
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['CONNECT unix:/tmp HTTP/1.1\r\nhost: localhost\r\n\r\n', [400]],
    [request('GET /skills', { host: 'evil.example', connection: 'close' }), [403]],
    [request('GET /healthz', {}) + request('GET /skills', { connection: 'close' }), [200, 403]],
  ] as const)
    expect(await overConnection({ url }, bytes)).toEqual(statuses);
  expect((await session.request('GET', '/skills')).status).toBe(200);

  const { records } = JSON.parse((await run('audit', '--limit', '100', '--json')).stdout);
  const callers = new Set(records.map(({ via, actor }: Record<string, unknown>) => `${via} ${actor}`));
  expect([...callers]).toEqual(['http null']);
});

test('a taken port is refused with what to do, a new one needs no restart, and turning the console off closes it', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const taken = (other.address() as { port: number }).port;
  const { dataDir, daemon, run, signInAddress, configure, reload } = await world({
    listen: { port: taken },
  });
  expect(await run('console')).toEqual({
    code: 4,
    stdout: '',
    stderr: `ambit: ADDRESS_UNAVAILABLE: cannot listen on 127.0.0.1:${taken} for the web console: the address is already in use. End what listens there, or set another listen.port in the configuration; without one, a free port is used\n`,
  });
  const { pid } = await daemon();

  const port = await freePort();
  await reload({ listen: { port } });
  const { url, code } = await signInAddress();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const session = await openSession(url, code);
  await configure({ console: false });
  await closed(url);
  await daemon(({ console }) => console === undefined);
  expect((await run('console')).stderr).toContain('the web console is off');

  await reload({ console: true });
  await signInAddress();
  expect((await session.request('GET', '/console/session')).status).toBe(401);
  expect((await daemon()).pid).toBe(pid);
  process.kill(pid, 'SIGKILL');
  await until(async () => !(await isAlive(pid)));

  const { cert, key } = certificate(dirname(dataDir), 'localhost');
  await configure({ listen: { port, tls: { cert, key } } });
  const secure = await signInAddress();
  expect(secure.url).toBe(`https://127.0.0.1:${port}`);
  const ca = await readFile(cert);
  const [answer] = await once(
    httpsRequest(`${secure.url}/healthz`, { ca, servername: 'localhost' }).end(),
    'response',
  );
  expect(answer.resume().statusCode).toBe(200);
  expect((await run('stop')).code).toBe(0);
  expect(await listening(String(port))).toEqual([]);
  expect(await announcedDaemon(dataDir)).toBe(null);
});

test('ambit serve takes over from a daemon whose console is in use, at the same port, and ends its sessions', async () => {
  const port = await freePort();
  const { dataDir, daemon, signIn } = await world({ listen: { port } });
  const session = await signIn();
  const { pid } = await daemon();
  const served = await startDaemon({ bundledSkills: false }, { dataDir, args: ['--port', String(port)] });
  expect(served.url).toBe(`http://127.0.0.1:${port}`);
  expect(await isAlive(pid)).toBe(false);
  expect((await session.request('GET', '/console/session')).status).toBe(401);
  expect(await served.request('GET', '/skills')).toMatchObject({ status: 200 });
});
