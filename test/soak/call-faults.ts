// Injects a fault at every step of a call, and kills the daemon at random steps. Exits with 1 if a call has an
// effect or an answer without a record, runs twice, or outlives its daemon.
//
//   npm run test:all -- call-faults
//   npm run test:all -- call-faults --kills 300 --stride 10 --seed 7

import { callKinds, faultyCalls } from '../support/faults/faulty-calls.ts';
import { randomNumbers } from './random-numbers.ts';
import { anySeed, inFolder, noneWrong, optionsOf } from './soak.ts';

const values = optionsOf({ kills: '100', stride: '1', seed: anySeed });
const random = randomNumbers(Number(values.seed));
const stride = Number(values.stride);
await inFolder('faults', async (folder) => {
  const calls = await faultyCalls(folder);
  try {
    console.log(`seed ${values.seed}: every ${stride} steps, and ${values.kills} kills`);
    const steps = { answers: 0, writes: 0, keyed: 0, stays: 0 };
    for (const kind of callKinds) {
      // A client that disconnects does not cancel a call with a key, and a call that stays is not answered.
      for (const fault of ['canceled', 'log unwritable'] as const) {
        if ((kind === 'keyed' && fault === 'canceled') || (kind === 'stays' && fault !== 'canceled'))
          continue;
        steps[kind] = await calls.disturb(kind, fault, { first: 1, stride });
        console.log(`${kind}, ${fault}: ${steps[kind]} steps`);
      }
    }
    await calls.lockLog(['answers', 'writes', 'keyed']);
    for (let count = 0; count < Number(values.kills); count++) {
      const kind = callKinds[count % callKinds.length] ?? 'answers';
      await calls.kill(kind, 1 + Math.floor(random() * steps[kind]));
      if (count % 10 === 9) console.log(`${count + 1} kills`);
    }
    const { wrong, ...counted } = await calls.check();
    const isSound = noneWrong(wrong);
    console.log(
      `${isSound ? 'effects and answers match the log' : `${wrong.length} wrong`}: ${JSON.stringify(counted)} (seed ${values.seed})`,
    );
    return isSound;
  } finally {
    await calls.close();
  }
});
