// Overloads a daemon with mixed requests for minutes. Its memory may not grow, and the only permitted
// error is OVERLOADED. Otherwise exits with 1.
//
//   npm run test:all -- soak-http
//   npm run test:all -- soak-http --minutes 1

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { daemonProcess } from '../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import { heapOf } from './heap-of.ts';
import { mixedLoad } from './mixed-load.ts';
import { slopePerMinute } from './slope.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
const minutes = Number(values.minutes);
/** More callers than running and waiting calls together, so some get OVERLOADED. */
const callers = 48;
const limits = { concurrency: 8, queue: 24 };
const samples = 20;
/** Growth per minute, as a fraction of the heap, that is too small for a trend. */
const growthPerMinuteMax = 0.01;

const folder = await mkdtemp(join(tmpdir(), 'ambit-saturation-'));
try {
  process.exitCode = await soak();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function soak(): Promise<number> {
  await chmod(folder, 0o755);
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
  for (const each of load.wrong().slice(0, 20)) console.log(`WRONG  ${each}`);
  console.log(
    `\n${isFlat ? 'flat' : 'GROWS'}: ${slope.toFixed(3)} MB a minute of ${middle.toFixed(1)} MB; ${load.wrong().length} wrong answers`,
  );
  return isFlat && load.wrong().length === 0 ? 0 : 1;
}
