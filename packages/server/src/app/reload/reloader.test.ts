// Threat model: T293

import { expect, test } from 'vitest';
import type { Config } from '../../config/config.ts';
import { plainConfig } from '../../testing/plain-config.ts';
import { changedKeys, needingRestart } from './changed-keys.ts';
import { type ReloaderOptions, reloader } from './reloader.ts';

function world(more: Partial<ReloaderOptions>) {
  let now = 0;
  return reloader({
    load: async () => plainConfig,
    config: plainConfig,
    policyDigest: 'sha256:1',
    changeable: [],
    now: () => ++now,
    apply: async () => 'sha256:2',
    onReport: async () => undefined,
    ...more,
  });
}

test('refuses a configuration that cannot be applied', async () => {
  const it = world({
    load: async () => ({ ...plainConfig, logLevel: 'warn' }),
    apply: () => Promise.reject(new Error('the log is full')),
  });
  expect(await it.reload()).toMatchObject({ outcome: 'refused', issues: ['the log is full'] });
  expect(await it.reload()).toMatchObject({ outcome: 'refused' });
});

test('shares the next reload among all requests during a reload', async () => {
  const [began, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reads = 0;
  const it = world({
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

test('a certificate that was renewed in another file needs no restart', () => {
  const tls = { cert: '/a', key: '/b' };
  const other: Config = { ...plainConfig, listen: { ...plainConfig.listen, tls } };
  const renewed = { ...other, listen: { ...other.listen, tls: { ...tls, cert: '/c' } } };
  const changed = changedKeys(other, renewed);
  expect([changed, needingRestart(changed)]).toEqual([['listen.tls.files'], []]);
});
