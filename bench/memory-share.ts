import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daemonProcess } from '../test/support/daemon-process.ts';
import { writeSkills } from '../test/support/skills.ts';
import { verdict } from './compare.ts';
import { treeMemory } from './load/process-tree.ts';
import type { Probed } from './stall/prober.ts';

const GiB = 1024 ** 3;
const runs = 8;
const targets = { atATime: 2, healthMs: 100, growthMegabytes: 32 };

/** Fills most of its memory, holds it for two seconds, and returns when it did so. */
const fills = {
  'ambit.yaml': JSON.stringify({
    run: { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] } },
  }),
  'scripts/run.py': `#!/usr/bin/env python3
import json, sys, time
mebibytes = json.load(sys.stdin)
held = bytearray(b"x") * (mebibytes << 20)
start = time.time()
time.sleep(2)
print(json.dumps([start, time.time()]), end="")
`,
};

/**
 * Eight runs of 1 GiB in a daemon whose runs share 2 GiB: how many hold their memory at a time, the slowest answer of `/healthz`
 * meanwhile, and what the daemon itself needs more than after one such run.
 */
export async function memoryShareBench(folder: string): Promise<void> {
  await writeSkills(join(folder, 'skills'), { fills });
  const daemon = await daemonProcess(folder, {
    skills: [{ path: join(folder, 'skills'), tier: 'local' }],
    limits: { memoryShareBytes: 2 * GiB, queue: runs },
  });
  const args = [`${daemon.url} ${daemon.pid}`];
  const prober = fork(fileURLToPath(new URL('stall/prober.ts', import.meta.url)), args, { execArgv: [] });
  const worstMs = async (): Promise<number> => {
    prober.send('');
    const [[seen]] = (await once(prober, 'message')) as [[Probed]];
    return seen.worstMs;
  };
  const held = async (): Promise<[from: number, to: number]> => {
    const body = { input: 900, limits: { memoryBytes: GiB, timeoutMs: 300_000 } };
    const answer = await daemon.execute('fills', body);
    if (answer.body.outcome?.status !== 'succeeded') throw new Error(JSON.stringify(answer.body));
    return answer.body.outcome.output;
  };
  try {
    await held();
    await worstMs();
    const before = treeMemory(daemon.pid).ownMegabytes;
    const calls = Array.from({ length: runs }, held);
    const times = await Promise.all(calls);
    const healthMs = await worstMs();
    const growth = treeMemory(daemon.pid).ownMegabytes - before;
    const atATime = Math.max(
      ...times.map(([at]) => times.filter(([from, to]) => from <= at && at < to).length),
    );
    console.log(
      `${runs} runs of 1 GiB whose runs share 2 GiB, load ${loadavg()[0]?.toFixed(1)}; the daemon has ${before.toFixed(0)} MB\n`,
    );
    verdict(atATime <= targets.atATime, `at most ${targets.atATime} at a time: ${atATime}`);
    verdict(
      healthMs <= targets.healthMs,
      `/healthz within ${targets.healthMs} ms: ${healthMs.toFixed(0)} ms at the slowest`,
    );
    verdict(
      growth <= targets.growthMegabytes,
      `the daemon grows by at most ${targets.growthMegabytes} MB: ${growth.toFixed(0)} MB\n`,
    );
  } finally {
    prober.kill();
    await daemon.stop();
  }
}
