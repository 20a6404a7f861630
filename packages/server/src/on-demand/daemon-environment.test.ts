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
  const caller = { flags: {}, environment: {}, cwd: '/work/sub' };
  const found = { file: '/work/ambit.config.yaml', dataDir: '/work/.ambit' };
  const read = (...given: Parameters<typeof onDemandArguments>) =>
    readOnDemandArguments(onDemandArguments(...given));
  expect(read(found, caller)).toEqual({ folder: '/work', flags: {} });
  expect(read({ ...found, file: undefined }, caller)).toEqual({ folder: '/work/sub', flags: {} });
  expect(read(found, { ...caller, flags: { config: '../ambit.config.yaml' } })).toEqual({
    folder: '/work',
    flags: { config: '/work/ambit.config.yaml' },
  });
  expect(read(found, { ...caller, environment: { AMBIT_DATA_DIR: '../.ambit' } })).toEqual({
    folder: '/work',
    flags: { dataDir: '/work/.ambit' },
  });
  expect(readOnDemandArguments(['serve', '--port', '0'])).toBe(undefined);
});
