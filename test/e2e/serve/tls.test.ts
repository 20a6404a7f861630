// Each test starts a daemon of its own: the claims are about its certificate.
// Threat model: T296

import { chmod, copyFile, readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { certificate } from '../../support/certificate.ts';
import { startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withoutSocket } from '../../support/without-socket.ts';
import { stdioClient } from '../support/mcp-client.ts';

test('a daemon with a certificate serves TLS 1.2 or newer, and no plain HTTP', async () => {
  const tls = certificate(await temporaryFolder(), 'localhost');
  const daemon = await startDaemon({ listen: { tls } });
  expect(daemon.url).toMatch(/^https:/);
  expect(await asked(daemon, await readFile(tls.cert, 'utf8'))).toBe(200);
  await expect(asked(daemon, undefined)).rejects.toThrow(/self-signed/);
  const port = Number(new URL(daemon.url).port);
  const old = connect({ port, rejectUnauthorized: false, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
  await expect(
    new Promise((resolve, reject) => old.on('secureConnect', resolve).on('error', reject)),
  ).rejects.toThrow();
  await expect(
    new Promise((resolve, reject) => get({ port, path: '/healthz' }, resolve).on('error', reject)),
  ).rejects.toThrow();
});

test('a renewed certificate is used after a reload; an invalid one is not', async () => {
  const folder = await temporaryFolder();
  const [first, second] = [certificate(folder, 'localhost'), certificate(folder, 'other')];
  const daemon = await startDaemon({ listen: { tls: first } });
  const where = ['--config', `${daemon.dataDir}/../ambit.config.yaml`];
  const before = await readFile(first.cert, 'utf8');
  await copyFile(second.cert, first.cert);
  expect(await ambit(['config', 'reload', ...where])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/listen\.tls\.cert: cannot use .* with .*: .*key values mismatch/),
  });
  expect(await asked(daemon, before)).toBe(200);
  await copyFile(second.key, first.key);
  expect(await ambit(['config', 'reload', ...where])).toMatchObject({ code: 0 });
  expect(await asked(daemon, await readFile(second.cert, 'utf8'), 'other')).toBe(200);
});

test('commands and ambit mcp trust only the certificate of their configuration, with any name in it', async () => {
  const folder = await temporaryFolder();
  const [own, other] = [certificate(folder, 'ambit.example'), certificate(folder, 'other')];
  const daemon = await startDaemon({ listen: { tls: own } }, { env: await withoutSocket() });
  const file = join(daemon.dataDir, '../ambit.config.yaml');
  const run = () => ambit(['run', 'csv-profile', '--input', '-', '--config', file], { stdin: '{"csv":"a"}' });
  const client = await stdioClient(file, 'modern');
  const call = () => client.callTool({ name: 'text-diff', arguments: { before: 'a', after: 'b' } });
  expect(await run()).toMatchObject({ code: 0 });
  expect((await call()).structuredContent).toMatchObject({ added: 1, removed: 1 });
  await copyFile(own.cert, join(folder, 'kept'));
  await copyFile(other.cert, own.cert);
  expect(await run()).toMatchObject({ code: 4, stderr: expect.stringContaining('DAEMON_UNREACHABLE') });
  await expect(call()).rejects.toMatchObject({ data: { code: 'DAEMON_UNREACHABLE' } });
  await copyFile(join(folder, 'kept'), own.cert);
  expect(JSON.parse((await ambit(['audit', '--json', '--config', file])).stdout).records).toHaveLength(2);
});

test('a private key that other users can read is refused', async () => {
  const tls = certificate(await temporaryFolder(), 'localhost');
  await chmod(tls.key, 0o640);
  await expect(startDaemon({ listen: { tls } })).rejects.toThrow(
    `listen.tls.key: other users can read or write ${tls.key}; run: chmod 600 ${tls.key}`,
  );
});

/** The status of a request by a client that trusts only `ca`. */
async function asked({ url }: Daemon, ca: string | undefined, servername = 'localhost'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { ...(ca === undefined ? {} : { ca }), servername, agent: false });
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
    sent.end();
  });
}
