// Each round starts a daemon of its own: the claims are about kills.
// Threat model: T303

import { chmod } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { socketVariable } from '../../../packages/server/src/store/testing/postgres-databases.ts';
import { randomNumbers } from '../../soak/random-numbers.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { type StoreCrashOptions, storeCrashRounds } from '../../support/store-crash/rounds.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';

async function expectNothingLost(more: Pick<StoreCrashOptions, 'server'>): Promise<void> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const seed = Date.now() % 1_000_000;
  // Key commands are killed with the daemon in every second round.
  const rounds = isWhole ? 20 : 2;
  const report = await storeCrashRounds({ folder, rounds, random: randomNumbers(seed), ...more });
  const { lost, doubled, wrong, acknowledged } = report;
  expect({ seed, lost, doubled, wrong }).toEqual({ seed, lost: [], doubled: [], wrong: [] });
  // Without any acknowledged change the test would prove nothing.
  expect(Object.values(acknowledged).reduce((sum, each) => sum + each)).toBeGreaterThan(0);
}

test('after kill -9 at any moment, the store has every acknowledged change, and no call with an idempotency key runs twice', async () => {
  await expectNothingLost({});
});

describe.runIf(process.env[socketVariable] !== undefined)('with PostgreSQL', () => {
  test('after kill -9 of the daemon and the server, the store has every acknowledged change, and no call with an idempotency key runs twice', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    await expectNothingLost({ server });
  });
});
