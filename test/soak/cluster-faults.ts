// Threat model: T342

// Disturbs three nodes and their database under load: kills and stops nodes, takes the database away in several ways, copies an
// identity, revokes keys, shifts a clock. After each fault, no call with an idempotency key may have run twice, and every
// acknowledged call and write must be there. Otherwise exits with 1.
//
//   npm run test:all -- cluster
//   npm run test:all -- cluster --rounds 200 --seed 7 --fault killed
//
// SIGINT ends it after the current round.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultRounds } from '../support/cluster-faults/rounds.ts';
import { randomNumbers } from './random-numbers.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    fault: { type: 'string' },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'ambit-cluster-'));
const stopping = new AbortController();
process.on('SIGINT', () => stopping.abort());
let reported = 0;
try {
  console.log(`seed ${values.seed}: ${values.rounds} rounds`);
  const { violations, ...counted } = await faultRounds({
    ...{ folder, rounds: Number(values.rounds), only: values.fault, signal: stopping.signal },
    random: randomNumbers(Number(values.seed)),
    onRound({ violations: found, ...totals }, did) {
      for (; reported < found.length; reported++) console.log(`VIOLATION  ${found[reported]}`);
      console.log(
        `${new Date().toISOString()} ${did}: ${JSON.stringify(totals)}, ${found.length} violations`,
      );
    },
  });
  console.log(`${JSON.stringify(counted)}, ${violations.length} violations (seed ${values.seed})`);
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
