// Threat model: T303

// Kills the daemon repeatedly under load, and with PostgreSQL also the server. After each restart, every
// acknowledged change must be in the store, and no call with an idempotency key may have run twice.
// Otherwise exits with 1.
//
//   npm run test:all -- store-kills
//   npm run test:all -- store-kills --rounds 1000 --seed 7 --database postgres
//
// SIGINT ends it after the current round, with the last checks.

import { startPostgres } from '../support/postgres-server.ts';
import { storeCrashRounds } from '../support/store-crash/rounds.ts';
import { randomNumbers } from './random-numbers.ts';
import { anySeed, inFolder, optionsOf } from './soak.ts';

const { rounds, seed, database } = optionsOf({ rounds: '300', seed: anySeed, database: 'sqlite' });
if (database !== 'sqlite' && database !== 'postgres')
  throw new Error(`--database is sqlite or postgres, not ${database}`);
const server = database === 'postgres' ? await startPostgres() : undefined;
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort());
await inFolder('store-crash', async (folder) => {
  console.log(`seed ${seed}: ${rounds} rounds on ${database}`);
  const report = await storeCrashRounds({
    folder,
    rounds: Number(rounds),
    random: randomNumbers(Number(seed)),
    signal: stopping.signal,
    ...(server === undefined ? {} : { server }),
    onRound({ rounds: round, acknowledged, lost, doubled, wrong }) {
      if (round % 10 === 0)
        console.log(
          `${String(round).padStart(5)} rounds: ${JSON.stringify(acknowledged)}, ${lost.length} lost, ${doubled.length} doubled, ${wrong.length} wrong`,
        );
    },
    onFinding: (kind, text) => console.log(`${kind.toUpperCase()}  ${text}`),
  });
  const [lost, doubled, wrong] = [report.lost.length, report.doubled.length, report.wrong.length];
  console.log(
    `${database}: ${report.rounds} rounds, acknowledged ${JSON.stringify(report.acknowledged)}, ${report.interrupted} calls interrupted, ${report.unstored} answered but not stored, and marked as such; ${lost} lost, ${doubled} doubled, ${wrong} wrong (seed ${seed})`,
  );
  return lost + doubled + wrong === 0;
}).finally(() => server?.stop());
