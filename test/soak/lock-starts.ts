// Threat model: T310

// Starts the daemon repeatedly while Node reads NODE_EXTRA_CA_CERTS in a thread: a large bundle, a slowly
// written pipe, and a missing file. Each daemon must hold its lock, answer calls, and be the only writer
// of its log. Otherwise exits with 1.
//
//   npm run test:all -- lock-starts
//   npm run test:all -- lock-starts --starts 1000

import { certificateFiles, certificateRound } from '../support/certificate-starts.ts';
import { inFolder, optionsOf } from './soak.ts';

const starts = Number(optionsOf({ starts: '100' }).starts);
let isSound = true;
for (const kind of certificateFiles)
  await inFolder(`lock-${kind}`, async (folder) => {
    const begun = performance.now();
    let bad = 0;
    for (let start = 1; start <= starts; start++) {
      const wrong = await certificateRound(folder, kind);
      for (const each of wrong) console.log(`WRONG  ${kind}, start ${start}: ${each}`);
      if (wrong.length > 0) bad++;
    }
    const seconds = Math.round((performance.now() - begun) / 1000);
    console.log(
      `${kind.padEnd(8)} ${starts} starts, ${starts - bad} with the lock held and one writer, ${seconds} s`,
    );
    isSound &&= bad === 0;
    return isSound;
  });
