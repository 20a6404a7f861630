// Threat model: T431

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processStart } from '@ambit/client/node';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { until } from '../../../../test/support/until.ts';
import type { Config } from '../config/config.ts';
import { defaultConfig } from '../config/general-config.ts';
import { daemonStarter } from './start-on-demand.ts';

test('a daemon that hangs before it has the lock, as Node does without threads, is ended when it is reported', async () => {
  const dataDir = await temporaryFolder();
  const config: Config = {
    ...defaultConfig(),
    file: undefined,
    userFile: undefined,
    scope: { kind: 'user', searched: null },
    dataDir,
    dataDirTrust: { project: null, dataHome: undefined },
    skills: [],
    lockFile: join(dataDir, 'ambit.lock'),
    installed: {},
  };
  const [now, pidFile] = [performance.now.bind(performance), join(dataDir, 'pid')];
  let passedMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
  const starting = daemonStarter({
    config,
    environment: { PATH: process.env['PATH'] },
    command: ['sh', '-c', `echo $$ > ${pidFile}; exec sleep 600`],
    version: '0.0.0',
    onNote: () => undefined,
  })();
  const reported = expect(starting).rejects.toThrow(/^the daemon \(process \d+\) does not listen after 60 s/);
  const pid = await until(async () => Number(await readFile(pidFile, 'utf8').catch(() => '')) || undefined);
  expect(await processStart(pid)).toBeDefined();
  passedMs = 60_000;
  await reported;
  await until(async () => (await processStart(pid)) === undefined);
});
