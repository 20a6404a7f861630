// Threat model: T293

import { expect, test } from 'vitest';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { plainConfig } from '../../testing/run-ambit.ts';
import { changedKeys, needingRestart } from './changed-keys.ts';
import { type ReloaderOptions, reloader } from './reloader.ts';

/** A reloader that reads the next of `files` at each reload, and records its steps in order. */
function world(files: (Config | Error)[], more: Partial<ReloaderOptions> = {}) {
  const happened: string[] = [];
  let now = 0;
  const it = reloader({
    load: async () => {
      happened.push('read');
      const file = files.shift() ?? plainConfig;
      if (file instanceof Error) throw file;
      return file;
    },
    config: plainConfig,
    policyDigest: 'sha256:1',
    now: () => ++now,
    apply: async (_, changed) => {
      happened.push(`applied ${changed.join(' ')}`);
      return 'sha256:2';
    },
    onReport: async ({ outcome }) => void happened.push(outcome),
    ...more,
  });
  return { it, happened };
}

const granted: Config = {
  ...plainConfig,
  logLevel: 'warn',
  queue: { ...plainConfig.queue, queue: 1 },
  phases: { plan: { tools: [], required: [], skills: [] } },
};

test('applies and names changed keys; the next reload finds no changes', async () => {
  const { it, happened } = world([granted, granted]);
  const changed = ['limits.queue', 'logLevel', 'phases.plan'];
  expect(it.last()).toBeUndefined();
  expect(await it.reload()).toEqual({
    ...{ outcome: 'applied', beganAt: 1, changed, issues: [], policyDigest: 'sha256:2' },
  });
  expect(await it.reload()).toMatchObject({ outcome: 'unchanged', changed: [] });
  const applied = `applied ${changed.join(' ')}`;
  expect(happened).toEqual(['read', applied, 'applied', 'read', 'applied ', 'unchanged']);
});

test('refuses an invalid configuration with every reason, and compares the next one with the one in force', async () => {
  const { it } = world([new ConfigError(['a', 'b']), granted]);
  expect(await it.reload()).toEqual({
    ...{ outcome: 'refused', beganAt: 1, changed: [], issues: ['a', 'b'], policyDigest: 'sha256:1' },
  });
  expect((await it.reload()).changed).toEqual(['limits.queue', 'logLevel', 'phases.plan']);
  expect(it.last()?.outcome).toBe('applied');
});

test('refuses a configuration that cannot be applied', async () => {
  const { it } = world([granted, granted], { apply: () => Promise.reject(new Error('the log is full')) });
  expect(await it.reload()).toMatchObject({ outcome: 'refused', issues: ['the log is full'] });
  expect(await it.reload()).toMatchObject({ outcome: 'refused' });
});

test('applies nothing if one key needs a restart', async () => {
  const { it, happened } = world([{ ...granted, dataDir: '/elsewhere' }]);
  const { outcome, issues } = await it.reload();
  expect([outcome, issues]).toEqual([
    'refused',
    [expect.stringMatching(/^dataDir: a change needs a restart/)],
  ]);
  expect(happened).toEqual(['read', 'refused']);
});

test('shares the next reload among all requests during a reload', async () => {
  const [began, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reads = 0;
  const { it } = world([], {
    load: async () => {
      reads += 1;
      if (reads === 1) {
        began.resolve();
        await first.promise;
      }
      return plainConfig;
    },
  });
  const asked = [it.reload()];
  await began.promise;
  for (let count = 0; count < 50; count++) asked.push(it.reload());
  first.resolve();
  expect(new Set((await Promise.all(asked)).map(({ beganAt }) => beganAt))).toEqual(new Set([1, 2]));
  expect(reads).toBe(2);
});

test('accepts a new file, and refuses the removal of a file', async () => {
  const { it } = world([{ ...granted, file: '/srv/ambit.config.yaml' }, granted, plainConfig], {
    config: { ...plainConfig, file: undefined },
  });
  expect(await it.reload()).toMatchObject({
    outcome: 'applied',
    changed: ['file', 'limits.queue', 'logLevel', 'phases.plan'],
  });
  expect(await it.reload()).toMatchObject({
    outcome: 'refused',
    issues: [
      'the configuration file /srv/ambit.config.yaml no longer exists; its settings remain in force until it is restored or the daemon restarts',
    ],
  });
});

test('only keys that apply at the start need a restart', () => {
  const tls = { cert: '/a', key: '/b' };
  const other: Config = {
    ...{ ...granted, dataDir: '/y', bodyLimitBytes: 1, watchConfig: true },
    listen: { host: '::1', port: 1, allowRemote: true, names: ['a'], tls },
    audit: { ...plainConfig.audit, retentionDays: 1, checkpoints: { file: '/z' } },
  };
  expect(needingRestart(changedKeys(plainConfig, other))).toEqual([
    ...[
      'audit.checkpoints',
      'bodyLimitBytes',
      'dataDir',
      'listen.host',
      'listen.port',
      'listen.tls',
      'watchConfig',
    ],
  ]);
  const renewed = { ...other, listen: { ...other.listen, tls: { ...tls, cert: '/c' } } };
  const changed = changedKeys(other, renewed);
  expect([changed, needingRestart(changed)]).toEqual([['listen.tls.files'], []]);
});
