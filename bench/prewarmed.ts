import type { Grant } from '../packages/core/src/execute.ts';
import { bubblewrapSandbox, processExecutor } from '../packages/runtime/src/index.ts';
import { grantedSkill } from '../test/contract/support/granted-skill.ts';
import { type Contender, compare, formatTable } from './compare.ts';
import { succeeds } from './succeeds.ts';

const target = 0.15;

/** Scripts that return their input. */
const echo = `#!/usr/bin/env python3
import json, os, sys
print(json.dumps(json.load(sys.stdin), separators=(",", ":")), end="", flush=True)
`;
const skills = [
  { title: 'A Python skill', script: echo },
  { title: 'The same, exiting without cleanup (os._exit)', script: `${echo}os._exit(0)\n` },
] as const;

const run = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] }, prewarm: 1 };

/**
 * The cost of a call of a Python skill whose program is prewarmed, compared with a program started
 * for the call.
 */
export async function prewarmedBench(folder: string, rounds: number): Promise<void> {
  for (const { title, script } of skills) {
    const grant = await grantedSkill(folder, run, { 'scripts/run.py': script });
    const sandbox = bubblewrapSandbox();
    const [cold, warm] = [
      processExecutor({ sandbox, environment: {} }),
      processExecutor({ sandbox, environment: {}, prewarmMax: 1 }),
    ];
    const prepare = (): Promise<void> => waiting(warm, grant);
    const contenders: Contender[] = [
      { name: 'started for the call', prepare, run: () => succeeds(cold, grant) },
      { name: 'prewarmed', prepare, run: () => succeeds(warm, grant, 'bubblewrap, prewarmed') },
    ];
    try {
      const timings = await compare(contenders, rounds);
      const ratio = timings[1]?.ratio ?? Number.NaN;
      const verdict = ratio <= target ? 'reached' : 'missed ';
      console.log(
        `${formatTable(title, timings)}\n\n  ${verdict}  at most ${target} × a call that starts its program: ${ratio.toFixed(2)}\n`,
      );
    } finally {
      await warm.close?.();
      await sandbox.close?.();
    }
  }
}

/** Waits until the program reads its input, so it does not start during a measurement. */
async function waiting(executor: ReturnType<typeof processExecutor>, grant: Grant): Promise<void> {
  await executor.prewarm?.(grant);
  await new Promise((resolve) => setTimeout(resolve, 60));
}
