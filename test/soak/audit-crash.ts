// Threat model: T299

// Kills the daemon repeatedly under load. Each time, the log must contain every answered call and no
// partial record, its chain must verify, and open calls must be marked as interrupted. Otherwise exits
// with 1.
//
//   npm run test:all -- audit-kills
//   npm run test:all -- audit-kills --rounds 1000 --seed 7

import { crashRounds } from '../support/audit-crash.ts';
import { randomNumbers } from './random-numbers.ts';
import { anySeed, inFolder, noneWrong, optionsOf } from './soak.ts';

const values = optionsOf({ rounds: '300', seed: anySeed });
await inFolder('crash', async (folder) => {
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
  const isSound = noneWrong(wrong);
  console.log(
    `${isSound ? 'the log is complete and valid' : `${wrong.length} wrong`}: ${JSON.stringify(counted)} (seed ${values.seed})`,
  );
  return isSound;
});
