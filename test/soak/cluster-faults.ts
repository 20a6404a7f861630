// Threat model: T342

// Disturbs three nodes and their database under load: kills and stops nodes, takes the database away in several ways, copies an
// identity, revokes keys, shifts a clock. After each fault, no call with an idempotency key may have run twice, and every
// acknowledged call and write must be there. Otherwise exits with 1.
//
//   npm run test:all -- cluster
//   npm run test:all -- cluster --rounds 200 --seed 7 --fault killed
//
// SIGINT ends it after the current round.

import { faultRounds } from '../support/cluster-faults/rounds.ts';
import { randomNumbers } from './random-numbers.ts';
import { anySeed, inFolder, optionsOf } from './soak.ts';

const values = optionsOf({ rounds: '200', seed: anySeed, fault: '' });
const stopping = new AbortController();
process.on('SIGINT', () => stopping.abort());
let reported = 0;
await inFolder('cluster', async (folder) => {
  console.log(`seed ${values.seed}: ${values.rounds} rounds`);
  const { violations, ...counted } = await faultRounds({
    folder,
    rounds: Number(values.rounds),
    only: values.fault || undefined,
    signal: stopping.signal,
    random: randomNumbers(Number(values.seed)),
    onRound({ violations: found, ...totals }, did) {
      for (; reported < found.length; reported++) console.log(`VIOLATION  ${found[reported]}`);
      console.log(
        `${new Date().toISOString()} ${did}: ${JSON.stringify(totals)}, ${found.length} violations`,
      );
    },
  });
  console.log(`${JSON.stringify(counted)}, ${violations.length} violations (seed ${values.seed})`);
  return violations.length === 0;
});
