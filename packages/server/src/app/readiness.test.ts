// Threat model: T322

import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { type ReadinessCheck, readiness } from './readiness.ts';

const part = (check: () => Promise<unknown>, freshMs = 0): ReadinessCheck => ({
  check,
  freshMs,
  code: 'SANDBOX_UNAVAILABLE',
});

test('reports the code of each failed part, and does not wait for a hanging part', async () => {
  const ask = readiness(
    {
      well: part(async () => 'whatever'),
      refusing: part(() => Promise.reject(new SkillError('AUDIT_UNAVAILABLE', 'the disk is full'))),
      failing: part(() => Promise.reject(new Error('ENOENT: /srv/private'))),
      throwing: part(() => {
        throw new Error('synchronous');
      }),
      hanging: part(() => new Promise(() => undefined)),
    },
    { waitMs: 10 },
  );
  expect(await ask()).toEqual({
    well: 'ok',
    refusing: 'AUDIT_UNAVAILABLE',
    failing: 'SANDBOX_UNAVAILABLE',
    throwing: 'SANDBOX_UNAVAILABLE',
    hanging: 'SANDBOX_UNAVAILABLE',
  });
});

test('runs a check once for concurrent requests, and again when its result is stale', async () => {
  let [asked, isWell] = [{ fresh: 0, stale: 0, slow: 0 }, true];
  const count = (name: keyof typeof asked) => async () => {
    asked = { ...asked, [name]: asked[name] + 1 };
    if (!isWell) throw new Error('not well');
    if (name === 'slow') await Promise.withResolvers<void>().promise;
  };
  const ask = readiness(
    { fresh: part(count('fresh'), 60_000), stale: part(count('stale')), slow: part(count('slow')) },
    { waitMs: 10 },
  );
  await Promise.all([ask(), ask()]);
  isWell = false;
  expect(await ask()).toEqual({
    fresh: 'ok',
    stale: 'SANDBOX_UNAVAILABLE',
    slow: 'SANDBOX_UNAVAILABLE',
  });
  expect(asked).toEqual({ fresh: 1, stale: 2, slow: 1 });
});

test('repeats a failed check after a while and reports its recovery', async () => {
  let isWell = false;
  const check = async () => {
    if (!isWell) throw new Error('not well');
  };
  const ask = readiness({ part: part(check) }, { retryMs: 0 });
  const before = await ask();
  isWell = true;
  expect([before, await ask()]).toEqual([{ part: 'SANDBOX_UNAVAILABLE' }, { part: 'ok' }]);
});
