import { expect, test } from 'vitest';
import { nextRun } from './next-run.ts';

/** Runs that the test ends, by their number. */
function controlledRuns() {
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<number>());
  let count = 0;
  const shared = nextRun(async () => ends[count++]?.promise);
  return { ...shared, end: ends, count: () => count };
}

test('fails for the callers of a failed run and not for later ones', async () => {
  const { next, end } = controlledRuns();
  const [first, second] = [next(), next()];
  end[0]?.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  end[1]?.resolve(2);
  expect(await second).toBe(2);
});

test('is idle when all requested runs have ended', async () => {
  const { next, idle, end } = controlledRuns();
  await idle();
  const [first, second] = [next(), next()];
  let isIdle = false;
  const ended = idle().then(() => {
    isIdle = true;
  });
  end[0]?.resolve(1);
  await first;
  expect(isIdle).toBe(false);
  end[1]?.resolve(2);
  await second;
  await ended;
  expect(isIdle).toBe(true);
});

test('gathers callers before the run that follows a shared one, and not after a run with one caller', async () => {
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  let [count, waits] = [0, 0];
  let gathered = Promise.withResolvers<void>();
  const { next } = nextRun(
    async () => ends[count++]?.promise,
    () => {
      waits += 1;
      return gathered.promise;
    },
  );
  const alone = next();
  const shared = [next(), next()];
  ends[0]?.resolve(0);
  ends[1]?.resolve(1);
  expect([await alone, ...(await Promise.all(shared)), waits]).toEqual([0, 1, 1, 0]);
  const again = [next(), next()];
  expect(count).toBe(2);
  gathered.resolve();
  ends[2]?.resolve(2);
  expect([...(await Promise.all(again)), waits]).toEqual([2, 2, 1]);
  gathered = Promise.withResolvers();
  gathered.resolve();
  ends[3]?.resolve(3);
  expect([await next(), waits]).toEqual([3, 2]);
  expect(await next()).toBeUndefined();
  expect(waits).toBe(2);
});

test('lets a caller that arrives during the gathering share the run', async () => {
  const gathered = Promise.withResolvers<void>();
  let count = 0;
  const { next } = nextRun(
    async () => ++count,
    () => gathered.promise,
  );
  await Promise.all([next(), next(), next()]);
  const first = next();
  // Runs everything that does not depend on the gathering.
  await new Promise(setImmediate);
  const second = next();
  gathered.resolve();
  expect([await first, await second, count]).toEqual([3, 3, 3]);
});

test('is idle after failed runs and still accepts new requests', async () => {
  const { next, idle, end } = controlledRuns();
  const [first, second] = [next(), next()];
  end[0]?.reject(new Error('no'));
  end[1]?.reject(new Error('nor this'));
  await Promise.all([
    expect(first).rejects.toThrow('no'),
    expect(second).rejects.toThrow('nor this'),
    idle(),
  ]);
  end[2]?.resolve(3);
  expect(await next()).toBe(3);
});

test('gathers until as many callers wait as shared the last run', async () => {
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<number>());
  let count = 0;
  const { next } = nextRun(
    async () => ends[count++]?.promise,
    (_tookMs, everyone) => everyone,
  );
  const before = [next(), next(), next()];
  for (const end of ends) end.resolve(0);
  await Promise.all(before);
  const first = next();
  await new Promise(setImmediate);
  expect(count).toBe(2);
  expect(await Promise.all([first, next()])).toEqual([0, 0]);
  expect(count).toBe(3);
});
