import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Daemon, daemonProcess } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { attacks, local, untrusted } from './stall/attacks.ts';
import type { Probed } from './stall/prober.ts';

const worstMsMax = 100;
const warmUpCalls = 20;
/** After this time, work that an attack leaves behind is done. */
const restMs = 500;

/**
 * The longest time that a daemon does not answer while callers and skills use it up to its limits:
 * the worst latency of `/healthz`, compared with an idle daemon on the same machine, and the
 * daemon's memory.
 */
export async function stallBench(folder: string): Promise<void> {
  const [attacked, quiet] = await Promise.all([
    startIn(join(folder, 'attacked')),
    startIn(join(folder, 'quiet')),
  ]);
  const daemons = [attacked, quiet].map(({ url, pid }) => `${url} ${pid}`);
  const prober = fork(fileURLToPath(new URL('stall/prober.ts', import.meta.url)), daemons, { execArgv: [] });
  const probed = async (): Promise<[attacked: Probed, quiet: Probed]> => {
    prober.send('');
    const [seen] = await once(prober, 'message');
    return seen as [Probed, Probed];
  };
  try {
    for (let call = 0; call < warmUpCalls; call++) await attacked.execute('takes', { input: [1] });
    console.log(`Worst /healthz of a daemon under attack, load before ${loadavg()[0]?.toFixed(1)}\n`);
    console.log(`  ${''.padEnd(55)}attacked      quiet    ratio     memory`);
    let isReached = true;
    for (const { name, run } of attacks) {
      await probed();
      const ends = await run(attacked);
      await delay(restMs);
      const [worst, quietProbe] = await probed();
      isReached &&= worst.worstMs <= worstMsMax;
      const columns = [
        name.padEnd(45),
        `${worst.worstMs.toFixed(1)} ms`.padStart(10),
        `${quietProbe.worstMs.toFixed(1)} ms`.padStart(9),
        `${(worst.worstMs / quietProbe.worstMs).toFixed(1)} ×`.padStart(7),
        `${worst.peakMegabytes.toFixed(0)} MB`.padStart(9),
        [...new Set(ends)].join(', '),
      ];
      console.log(`  ${columns.join('  ')}`);
    }
    console.log(`  ${isReached ? 'reached' : 'missed '}  at most ${worstMsMax} ms\n`);
  } finally {
    prober.kill();
    await Promise.all([attacked.stop(), quiet.stop()]);
  }
}

async function startIn(folder: string): Promise<Daemon> {
  await mkdir(folder);
  await writeSkills(join(folder, 'local'), local);
  await writeSkills(join(folder, 'untrusted'), untrusted);
  return daemonProcess(folder, {
    skills: [
      { path: join(folder, 'local'), tier: 'local' },
      { path: join(folder, 'untrusted'), tier: 'untrusted' },
    ],
  });
}
