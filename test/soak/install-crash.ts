// Threat model: T153

// Kills each command that changes installed skills with SIGKILL, at each of its steps: before each change of a file and each
// message to the log or the store. The next start must find the old state or the new one. Otherwise exits with 1.
//
//   npm run test:all -- install-kills

import { installCrashes } from '../support/install-crash/install-crash.ts';
import { inFolder, noneWrong } from './soak.ts';

await inFolder('install-crash', async (folder) => {
  const { kills, wrong } = await installCrashes({
    folder,
    stepsOf: (count) => Array.from({ length: count }, (_, at) => at + 1),
    onKill(command, step, count) {
      if (step === count) console.log(`${command}: killed at each of ${count} steps`);
    },
  });
  console.log(`kills: ${JSON.stringify(kills)}; ${wrong.length} wrong`);
  return noneWrong(wrong);
});
