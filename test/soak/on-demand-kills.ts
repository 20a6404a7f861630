// Threat model: T430, T431

// Starts commands and agents at the same moment, without a daemon, and lets a fault strike them: kills and stops the daemon,
// kills and interrupts commands, fills the disk. There must never be two daemons, and none may stay. Each call must be in the
// log once, with its end. Otherwise exits with 1.
//
//   npm run test:all -- on-demand-kills
//   npm run test:all -- on-demand-kills --rounds 1000 --seed 7 --fault 'disk full'
//
// Ctrl-C ends it.

import { faults } from '../support/on-demand-kills/faults.ts';
import { setLimits } from '../support/on-demand-kills/limits.ts';
import { killRounds } from '../support/on-demand-kills/rounds.ts';
import { createWorld, dataDirIn } from '../support/on-demand-kills/world.ts';
import { randomNumbers } from './random-numbers.ts';
import { anySeed, inFolder, optionsOf } from './soak.ts';

const values = optionsOf({ rounds: '200', seed: anySeed, fault: '' });
const stopping = new AbortController();
process.on('SIGINT', () => stopping.abort());
await inFolder('on-demand', async (folder) => {
  const limits = setLimits(dataDirIn(folder));
  try {
    const isPossible = (name: string): boolean =>
      (limits.smallDisk || !faults[name]?.fillsDisk) &&
      (limits.fewProcesses !== undefined || !faults[name]?.fewProcesses);
    const chosen = Object.keys(faults).filter((name) => name.includes(values.fault));
    const names = chosen.filter(isPossible);
    if (names.length === 0) throw new Error(`no fault that is possible here is called ${values.fault}`);
    for (const name of chosen) if (!names.includes(name)) console.log(`left out: ${name}, which needs root`);
    console.log(`seed ${values.seed}: ${values.rounds} rounds`);
    let reported = 0;
    const { wrong, ...counted } = await killRounds({
      world: await createWorld(folder),
      rounds: Number(values.rounds),
      random: randomNumbers(Number(values.seed)),
      names,
      signal: stopping.signal,
      fewProcesses: limits.fewProcesses,
      onRound(round, name, { wrong, ...totals }) {
        for (; reported < wrong.length; reported++) console.log(`WRONG  ${wrong[reported]}`);
        console.log(
          `${round} ${name}: ${totals.answered} of ${totals.calls} calls answered, ${totals.interrupted} interrupted`,
        );
      },
    });
    console.log(`${wrong.length} wrong: ${JSON.stringify(counted)} (seed ${values.seed})`);
    return wrong.length === 0;
  } finally {
    limits.close();
  }
});
