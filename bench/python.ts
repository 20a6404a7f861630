import type { Grant, SkillExecutor } from '../packages/core/src/execute.ts';
import { bubblewrapSandbox, processExecutor, wasmExecutor } from '../packages/runtime/src/index.ts';
import { noState } from '../packages/runtime/src/testing/no-state.ts';
import { grantedSkill } from '../test/contract/support/granted-skill.ts';
import { callsIn } from './calls-in.ts';
import { compare, formatTable, verdict } from './compare.ts';
import { hostMegabytes } from './host-megabytes.ts';

const summary = `import json, re, sys
from collections import Counter

given = json.load(sys.stdin)
words = re.findall(r"\\w+", given["text"].lower())
json.dump({"words": len(words), "most": Counter(words).most_common(3)}, sys.stdout)
`;
const loop = `def add(count):
    total = 0
    for number in range(count):
        total += number * 2
    return total

print(add(5_000_000))
`;
const input = { text: 'the quick brown fox jumps over the lazy dog and the cat '.repeat(20) };
const never = new AbortController().signal;
const lanes = 2;
const throughputMs = 10_000;
const turns = 10;
const loopRounds = 5;

/** A Python script in WebAssembly next to the same script as a program under bubblewrap. */
export async function pythonBench(folder: string, rounds: number): Promise<void> {
  const sandbox = bubblewrapSandbox();
  const programs = processExecutor({ sandbox, environment: {} });
  const modules = wasmExecutor({ sandbox, state: noState, hosts: lanes });
  const skill = async (script: string, runtime: 'process' | 'wasm'): Promise<Grant> => {
    const capabilities = runtime === 'process' ? { exec: ['python3'] } : {};
    return grantedSkill(
      folder,
      { runtime, entry: 'scripts/run.py', capabilities },
      { 'scripts/run.py': script },
    );
  };
  const call = (executor: SkillExecutor, grant: Grant) => async (): Promise<void> => {
    const { outcome } = await executor.execute(grant, { protocol: 'json', value: input }, never);
    if (outcome.status !== 'succeeded') throw new Error(JSON.stringify(outcome));
  };
  try {
    const own = call(modules, await skill(summary, 'wasm'));
    const firstAt = performance.now();
    await own();
    const firstMs = performance.now() - firstAt;
    const idleMegabytes = await hostMegabytes();
    const bare = call(programs, await skill(summary, 'process'));

    const timings = await compare(
      [
        { name: 'program under bubblewrap', run: bare },
        { name: 'Python in WebAssembly', run: own },
      ],
      rounds,
    );
    console.log(`${formatTable('A Python script that reads JSON and prints JSON', timings)}\n`);
    const ratio = timings[1]?.ratio ?? Number.NaN;
    verdict(ratio <= 1, `at most 1.0 × the time of the program: ${ratio.toFixed(2)} ×`);

    const counts = { program: 0, module: 0 };
    for (let turn = 0; turn < turns; turn++) {
      counts.program += await callsIn(throughputMs / turns, lanes, bare);
      counts.module += await callsIn(throughputMs / turns, lanes, own);
    }
    const perSecond = (calls: number): string => `${((calls / throughputMs) * 1000).toFixed(1)} calls/s`;
    console.log(
      `\n  ${lanes} in flight: program ${perSecond(counts.program)}, WebAssembly ${perSecond(counts.module)}`,
    );
    const throughput = counts.module / counts.program;
    verdict(throughput >= 1, `at least 1.0 × the calls per second: ${throughput.toFixed(2)} ×`);

    const loops = await compare(
      [
        { name: 'program under bubblewrap', run: call(programs, await skill(loop, 'process')) },
        { name: 'Python in WebAssembly', run: call(modules, await skill(loop, 'wasm')) },
      ],
      loopRounds,
    );
    console.log(`\n${formatTable('A loop of 5 million additions', loops)}\n`);
    console.log(`  first call after the start: ${firstMs.toFixed(0)} ms`);
    console.log(`  an idle host with the interpreter: ${idleMegabytes.toFixed(0)} MB\n`);
  } finally {
    await programs.close?.();
    await modules.close?.();
    await sandbox.close?.();
  }
}
