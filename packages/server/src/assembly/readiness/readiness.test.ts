import { SkillError } from '@ambit/core';
import { expect, test } from 'vitest';
import { type ReadinessCheck, readiness } from './readiness.ts';

const part = (check: () => Promise<unknown>, freshMs = 0): ReadinessCheck => ({
  ...{ check, freshMs, code: 'SANDBOX_UNAVAILABLE' },
});

test('each part says what calls would be refused with for it, and one that hangs is not waited for', async () => {
  const ask = readiness(
    {
      well: part(async () => 'whatever'),
      refusing: part(() => Promise.reject(new SkillError('AUDIT_UNAVAILABLE', 'the disk is full'))),
      failing: part(() => Promise.reject(new Error('ENOENT: /srv/private'))),
      throwing: part(() => {
        throw new Error('at once');
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

test('a part is asked once for all who ask meanwhile, and again when its answer is old', async () => {
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

test('a part that was not well is asked again after a while, and is well when it is', async () => {
  let isWell = false;
  const check = async () => {
    if (!isWell) throw new Error('not well');
  };
  const ask = readiness({ part: part(check) }, { retryMs: 0 });
  const before = await ask();
  isWell = true;
  expect([before, await ask()]).toEqual([{ part: 'SANDBOX_UNAVAILABLE' }, { part: 'ok' }]);
});
