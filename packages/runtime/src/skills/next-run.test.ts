import { expect, test } from 'vitest';
import { nextRun } from './next-run.ts';

/** Runs that end when they are told to, by their number. */
function steered() {
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<number>());
  let count = 0;
  const shared = nextRun(async () => ends[count++]?.promise);
  return { ...shared, end: ends, count: () => count };
}

test('whoever calls during a run gets the result of the next, and all who do share it', async () => {
  const { next, end, count } = steered();
  const first = next();
  const [second, third] = [next(), next()];
  end[0]?.resolve(1);
  expect(await first).toBe(1);
  end[1]?.resolve(2);
  expect([await second, await third, count()]).toEqual([2, 2, 2]);
  const fourth = next();
  end[2]?.resolve(3);
  expect(await fourth).toBe(3);
});

test('a run that fails fails for those who asked for it, and not for those after', async () => {
  const { next, end } = steered();
  const [first, second] = [next(), next()];
  end[0]?.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  end[1]?.resolve(2);
  expect(await second).toBe(2);
});

test('it is idle when all that was asked for has run', async () => {
  const { next, idle, end } = steered();
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

test('the first who asks again after a shared run waits for company, and one alone does not', async () => {
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  let [count, waits] = [0, 0];
  let companyCame = Promise.withResolvers<void>();
  const { next } = nextRun(
    async () => ends[count++]?.promise,
    () => {
      waits += 1;
      return companyCame.promise;
    },
  );
  const alone = next();
  const shared = [next(), next()];
  ends[0]?.resolve(0);
  ends[1]?.resolve(1);
  expect([await alone, ...(await Promise.all(shared)), waits]).toEqual([0, 1, 1, 0]);
  const again = [next(), next()];
  expect(count).toBe(2);
  companyCame.resolve();
  ends[2]?.resolve(2);
  expect([...(await Promise.all(again)), waits]).toEqual([2, 2, 1]);
  companyCame = Promise.withResolvers();
  companyCame.resolve();
  ends[3]?.resolve(3);
  expect([await next(), waits]).toEqual([3, 2]);
  expect(await next()).toBeUndefined();
  expect(waits).toBe(2);
});

test('whoever comes while the first waits for company has the same run', async () => {
  const companyCame = Promise.withResolvers<void>();
  let count = 0;
  const { next } = nextRun(
    async () => ++count,
    () => companyCame.promise,
  );
  await Promise.all([next(), next(), next()]);
  const first = next();
  // Lets all happen that does not wait for company.
  await new Promise(setImmediate);
  const second = next();
  companyCame.resolve();
  expect([await first, await second, count]).toEqual([3, 3, 3]);
});

test('it is idle after runs that failed, and what is asked for then runs', async () => {
  const { next, idle, end } = steered();
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
