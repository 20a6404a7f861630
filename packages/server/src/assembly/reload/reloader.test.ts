import { expect, test } from 'vitest';
import { plainConfig } from '../../cli/testing/run-ambit.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { changedKeys, needingRestart } from './changed-keys.ts';
import { type ReloaderOptions, reloader } from './reloader.ts';

/** A reloader over files of which each reading takes the next; what happened is told in order. */
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
    told: async ({ outcome }) => void happened.push(outcome),
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

test('what is otherwise than before is applied and named; afterwards nothing is', async () => {
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

test('what cannot be used is refused with every reason, and the next reading is held against what still holds', async () => {
  const { it } = world([new ConfigError(['a', 'b']), granted]);
  expect(await it.reload()).toEqual({
    ...{ outcome: 'refused', beganAt: 1, changed: [], issues: ['a', 'b'], policyDigest: 'sha256:1' },
  });
  expect((await it.reload()).changed).toEqual(['limits.queue', 'logLevel', 'phases.plan']);
  expect(it.last()?.outcome).toBe('applied');
});

test('what cannot be brought into force is refused, and stays out of force', async () => {
  const { it } = world([granted, granted], { apply: () => Promise.reject(new Error('the log is full')) });
  expect(await it.reload()).toMatchObject({ outcome: 'refused', issues: ['the log is full'] });
  expect(await it.reload()).toMatchObject({ outcome: 'refused' });
});

test('with one key that needs a restart nothing is applied', async () => {
  const { it, happened } = world([{ ...granted, dataDir: '/elsewhere' }]);
  const { outcome, issues } = await it.reload();
  expect([outcome, issues]).toEqual(['refused', [expect.stringMatching(/^dataDir: needs a restart/)]]);
  expect(happened).toEqual(['read', 'refused']);
});

test('all who ask while a reading is under way share one that begins after it', async () => {
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

test('a file where there was none is taken; one that is gone is not, and says so', async () => {
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
      'the configuration file /srv/ambit.config.yaml is not there any more: what it said holds until it is back, or the daemon is started again',
    ],
  });
});

test('only what a start decides needs one', () => {
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
