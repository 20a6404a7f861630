// Overloads a daemon with mixed requests for minutes. Its memory may not grow, and the only permitted
// error is OVERLOADED. Otherwise exits with 1.
//
//   npm run test:all -- soak-http
//   npm run test:all -- soak-http --minutes 1

import { join } from 'node:path';
import { daemonProcess } from '../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import { heapOf } from './heap-of.ts';
import { mixedLoad } from './mixed-load.ts';
import { slopePerMinute } from './slope.ts';
import { inFolder, noneWrong, optionsOf } from './soak.ts';

const minutes = Number(optionsOf({ minutes: '5' }).minutes);
/** More callers than running and waiting calls together, so some get OVERLOADED. */
const callers = 48;
const limits = { concurrency: 8, queue: 24 };
const samples = 20;
/** Growth per minute, as a fraction of the heap, that is too small for a trend. */
const growthPerMinuteMax = 0.01;

await inFolder('saturation', soak);

async function soak(folder: string): Promise<boolean> {
  await writeSkills(join(folder, 'skills'), {
    'py-echo': pythonSkill('json.dump(given, sys.stdout)'),
    'sh-fails': {
      'ambit.yaml': JSON.stringify({
        run: { runtime: 'process', entry: 'scripts/run.sh', capabilities: { exec: ['sh'] } },
      }),
      'scripts/run.sh': '#!/bin/sh\nexit 3\n',
    },
  });
  const daemon = await daemonProcess(
    folder,
    { skills: [{ path: join(folder, 'skills'), tier: 'local' }], limits, logLevel: 'error' },
    { nodeArgs: ['--inspect=127.0.0.1:0'], logFile: join(folder, 'log') },
  );
  const load = mixedLoad(daemon, callers);
  const heap = await heapOf(join(folder, 'log'));
  const seen: { minute: number; heapMegabytes: number }[] = [];
  const startedAt = performance.now();
  try {
    // The first fifth warms caches and compiled code. The samples after it count.
    for (let sample = 0; sample < samples; sample++) {
      await load.runFor((minutes * 60_000) / samples);
      const minute = (performance.now() - startedAt) / 60_000;
      const heapMegabytes = await heap.afterGarbageMegabytes();
      if (sample >= samples / 5) seen.push({ minute, heapMegabytes });
      console.log(
        `${minute.toFixed(1).padStart(5)} min  heap ${heapMegabytes.toFixed(1)} MB  ${load.tally()}`,
      );
    }
  } finally {
    heap.close();
    await daemon.stop();
  }
  const slope = slopePerMinute(seen.map(({ minute, heapMegabytes }) => [minute, heapMegabytes]));
  const middle = seen[Math.floor(seen.length / 2)]?.heapMegabytes ?? Number.NaN;
  const isFlat = slope <= growthPerMinuteMax * middle;
  const isRight = noneWrong(load.wrong());
  console.log(
    `\n${isFlat ? 'flat' : 'GROWS'}: ${slope.toFixed(3)} MB a minute of ${middle.toFixed(1)} MB; ${load.wrong().length} wrong answers`,
  );
  return isFlat && isRight;
}
