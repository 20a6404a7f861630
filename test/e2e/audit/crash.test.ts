// Each round starts a daemon of its own: the claim is about kills.
// Threat model: T262, T299

import { chmod } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { randomNumbers } from '../../soak/random-numbers.ts';
import { crashRounds } from '../../support/audit-crash.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';

test('after kill -9 at any moment, every answered call is recorded completely, the hash chain is intact, and open calls are interrupted', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const seed = Date.now() % 1_000_000;
  const rounds = isWhole ? 20 : 2;
  const { wrong, answered } = await crashRounds({ folder, rounds, random: randomNumbers(seed) });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  // Without any answered call the test would prove nothing.
  expect(answered).toBeGreaterThan(0);
});
