// Threat model: T299

// Kills the daemon repeatedly under load. Each time, the log must contain every answered call and no
// partial record, its chain must verify, and open calls must be marked as interrupted. Otherwise exits
// with 1.
//
//   npm run test:all -- audit-kills
//   npm run test:all -- audit-kills --rounds 1000 --seed 7

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crashRounds } from '../support/audit-crash.ts';
import { randomNumbers } from './random-numbers.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'ambit-crash-'));
try {
  await chmod(folder, 0o755);
  console.log(`seed ${values.seed}: ${values.rounds} rounds`);
  const { wrong, ...counted } = await crashRounds({
    folder,
    rounds: Number(values.rounds),
    random: randomNumbers(Number(values.seed)),
    onRound(round, { answered, interrupted, events, wrong }) {
      if (round % 10 === 0)
        console.log(
          `${String(round).padStart(5)} rounds: ${answered} answered, ${interrupted} interrupted, ${events} events, ${wrong.length} wrong`,
        );
    },
  });
  for (const each of wrong.slice(0, 20)) console.log(`WRONG  ${each}`);
  console.log(
    `${wrong.length === 0 ? 'the log is complete and valid' : `${wrong.length} wrong`}: ${JSON.stringify(counted)} (seed ${values.seed})`,
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
