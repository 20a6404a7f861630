import { expect, test } from 'vitest';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';

test('a second daemon with the same data directory exits with 4 and names the first, which continues to serve', async () => {
  const first = await startDaemon();
  const { code, stderr } = await ambit(['serve', '--port', '0', '--data-dir', first.dataDir]);
  expect(code).toBe(4);
  expect(stderr).toContain(
    `, ${first.url}) already uses the data directory ${first.dataDir}. Use it, stop it (kill `,
  );
  expect(await serves(first)).toBe(true);
});

test('a second daemon on the same port exits with 4 and what to do; the first continues to serve', async () => {
  const first = await startDaemon();
  const { port } = new URL(first.url);
  const { code, stderr } = await ambit(['serve', '--port', port, '--data-dir', await temporaryFolder()]);
  expect(code).toBe(4);
  expect(stderr).toContain(
    `ambit: ADDRESS_UNAVAILABLE: cannot listen on 127.0.0.1:${port}: the address is already in use. Choose another address with --host and --port\n`,
  );
  expect(await serves(first)).toBe(true);
});

async function serves(daemon: Daemon): Promise<boolean> {
  return (await daemon.request('GET', '/readyz')).body.status === 'ready';
}
