import type { Grant } from '../packages/core/src/execute.ts';
import { bubblewrapSandbox, processExecutor } from '../packages/runtime/src/index.ts';
import { grantedSkill } from '../test/contract/support/granted-skill.ts';
import { type Contender, compare, printed } from './compare.ts';
import { succeeds } from './succeeds.ts';

const target = 0.2;

/** Scripts that answer with their input. */
const echo = `#!/usr/bin/env python3
import json, os, sys
print(json.dumps(json.load(sys.stdin), separators=(",", ":")), end="", flush=True)
`;
const skills = [
  { title: 'A Python skill', script: echo },
  { title: 'The same, which leaves without tidying up (os._exit)', script: `${echo}os._exit(0)\n` },
] as const;

const run = { runtime: 'process', entry: 'scripts/run.py', capabilities: { exec: ['python3'] }, prewarm: 1 };

/** What a call of a Python skill costs whose program has been waiting, against one that is started for it. */
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
        `${printed(title, timings)}\n\n  ${verdict}  at most ${target} of a call that starts its own: ${ratio.toFixed(2)}\n`,
      );
    } finally {
      await warm.close?.();
      sandbox.close?.();
    }
  }
}

/** Until the program has come as far as reading its input, so that neither contender has it starting beside it. */
async function waiting(executor: ReturnType<typeof processExecutor>, grant: Grant): Promise<void> {
  await executor.prewarm?.(grant);
  await new Promise((resolve) => setTimeout(resolve, 60));
}
