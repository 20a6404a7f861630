import { chmod } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { randomNumbers } from '../soak/random-numbers.ts';
import { crashRounds } from '../support/audit-crash.ts';
import { temporaryFolder } from './support/daemon.ts';

test('after kill -9 at any moment every answered call is in the log whole, the chain holds, and open calls are interrupted', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const seed = Date.now() % 1_000_000;
  const { wrong, answered } = await crashRounds({ folder, rounds: 5, random: randomNumbers(seed) });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  // Five rounds that answered nothing would have shown nothing.
  expect(answered).toBeGreaterThan(0);
}, 120_000);
