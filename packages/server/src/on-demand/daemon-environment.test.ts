// Threat model: T430, T433

import { noCapabilities } from '@ambit/core/policy';
import { expect, test } from 'vitest';
import { daemonEnvironment } from './daemon-environment.ts';
import { onDemandArguments, readOnDemandArguments } from './on-demand-arguments.ts';

test('a daemon on demand gets the variables of a login, settings, and what its configuration names', () => {
  const config = {
    secrets: { token: { env: 'TOKEN' }, other: { file: '/etc/token' } },
    grants: { double: { ...noCapabilities, env: ['GRANTED'] } },
  };
  const passed = {
    PATH: '/bin',
    HOME: '/home/ada',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    XDG_DATA_HOME: '/d',
    AMBIT_LOG_LEVEL: 'debug',
    AMBIT_IDLE: '1000',
    OTEL_SERVICE_NAME: 'a',
    TOKEN: 't',
    GRANTED: 'g',
  };
  const kept = {
    SSH_AUTH_SOCK: '/s',
    AWS_SECRET_ACCESS_KEY: 'k',
    NODE_OPTIONS: '--inspect',
    XDG_SESSION_ID: '3',
    AMBIT_KEY: 'k',
    AMBIT_URL: 'http://x',
    AMBIT_KEY_FILE: '/k',
    AMBIT_CONFIG: 'a',
    AMBIT_DATA_DIR: 'd',
  };
  expect(daemonEnvironment(config, { ...passed, ...kept })).toEqual(passed);
});

test('a daemon on demand finds the configuration of its command, and takes only named paths for named', () => {
  const caller = { flags: {}, environment: {} };
  const [file, dataDir] = ['/work/ambit.config.yaml', '/work/.ambit'];
  const project = { kind: 'project', folder: '/work', sign: '.ambit' } as const;
  const read = (...given: Parameters<typeof onDemandArguments>) =>
    readOnDemandArguments(onDemandArguments(...given));
  expect(read({ file, scope: project, dataDir }, caller)).toEqual({ folder: '/work', flags: {} });
  expect(read({ file: undefined, scope: project, dataDir }, caller)).toEqual({ folder: '/work', flags: {} });
  expect(read({ file, scope: { kind: 'named', by: '--config' }, dataDir }, caller)).toEqual({
    folder: undefined,
    flags: { config: file },
  });
  expect(
    read({ file, scope: project, dataDir }, { ...caller, environment: { AMBIT_DATA_DIR: '../.ambit' } }),
  ).toEqual({ folder: '/work', flags: { dataDir } });
  // The same for callers in all folders.
  expect(onDemandArguments({ file, scope: { kind: 'user', searched: '/srv' }, dataDir }, caller)).toEqual([
    'serve',
    '--on-demand',
  ]);
  expect(readOnDemandArguments(['serve', '--port', '0'])).toBe(undefined);
});
