// Threat model: T153

import { expect, test } from 'vitest';
import { randomNumbers } from '../../soak/random-numbers.ts';
import { installCrashes } from '../../support/install-crash/install-crash.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('after kill -9 in any step of add, approve, update, revoke, restore, sync and remove, the next start finds the old state or the new one', async () => {
  const seed = Date.now() % 1_000_000;
  const random = randomNumbers(seed);
  const { kills, wrong } = await installCrashes({
    folder: await temporaryFolder(),
    // `npm run test:all -- install-kills` kills at each step.
    stepsOf: (count) => [1 + Math.floor(random() * count)],
  });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  expect(Object.values(kills)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
});
