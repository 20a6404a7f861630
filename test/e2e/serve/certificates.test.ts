// The tests start daemons of their own: the claims are about their starts.
// Threat model: T104, T310

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { certificateRound, startWithCertificates } from '../../support/certificate-starts.ts';
import { ambit } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each([
  ['a large bundle', 'bundle'],
  ['a pipe that is written slowly', 'pipe'],
  ['a file that is missing', 'missing'],
] as const)(
  'a daemon whose Node reads certificates from %s holds its lock, and skills do not inherit its descriptor',
  async (_, kind) => {
    expect(await certificateRound(await temporaryFolder(), kind)).toEqual([]);
  },
);

test('a command calls a daemon that reads certificates slowly, and the log has one writer', async () => {
  const folder = await temporaryFolder();
  const { daemon, finishReading } = await startWithCertificates(folder, 'pipe');
  onTestFinished(async () => void (await daemon.stop('SIGKILL')));
  await finishReading();
  const config = join(folder, 'ambit.config.yaml');
  const { code, stderr } = await ambit(['run', 'descriptors', '--config', config, '--input', '-'], {
    stdin: '{}',
    env: { AMBIT_KEY_FILE: join(daemon.dataDir, 'key') },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await daemon.execute('descriptors', { input: {} })).status).toBe(200);
  const transports = (await daemon.audit()).map(({ via }) => via);
  // A call in the command's own process would have the via `cli`, also with a key.
  expect(transports).toEqual(['http', 'http']);
});
