import { expect, test } from 'vitest';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import { ambit, type Daemon } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const shared = sharedDaemon(async () => ({}));

test('a second daemon with the same data directory exits with 4 and names the first, which continues to serve', async () => {
  const first = shared();
  // Not the command alone: that ends only if it is refused.
  await expect(startDaemon({}, { dataDir: first.dataDir })).rejects.toThrow(
    `the daemon exited with 4 before it listened:\nambit: AUDIT_UNAVAILABLE: a daemon (process ${first.pid}, ${first.url}) already uses the data directory ${first.dataDir}. Use it, stop it (ambit stop`,
  );
  expect(await serves(first)).toBe(true);
});

test('a second daemon on the same port exits with 4 and what to do; the first continues to serve', async () => {
  const first = shared();
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
