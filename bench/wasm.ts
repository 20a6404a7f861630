import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createPlugin } from '@extism/extism';
import type { Grant, SkillExecutor } from '../packages/core/src/execute.ts';
import { bubblewrapSandbox, folderCatalog, wasmExecutor } from '../packages/runtime/src/index.ts';
import { noState } from '../packages/runtime/src/testing/no-state.ts';
import { granted } from '../test/contract/support/granted-skill.ts';
import { callsIn } from './calls-in.ts';
import { type Contender, compare, formatTable, verdict } from './compare.ts';
import { hostMegabytes } from './host-megabytes.ts';

const skillFolder = fileURLToPath(new URL('../skills/text-redact', import.meta.url));
const input = { text: 'mail ada@example.org' };
const hosts = 2;
const throughputMs = 6000;
const turns = 12;
/** As in a busy daemon: a single call after a pause finds cold CPU caches. */
const inARow = 20;

const targets = { ofPrototype: 0.85, belowWorker: 50, idleMegabytes: 70 };

/** The cost of a plug-in call with a new instance, for each way to isolate it. */
export async function wasmBench(_folder: string, rounds: number): Promise<void> {
  const grant = await textRedact();
  const file = join(skillFolder, grant.skill.run.entry);
  const module = await WebAssembly.compile(await readFile(file));
  const sandbox = bubblewrapSandbox();
  const executor = wasmExecutor({ sandbox, state: noState, hosts });
  const prototype = [bareHost(file), bareHost(file)] as const;
  try {
    await executor.prewarm?.(grant);
    const idleMegabytes = await hostMegabytes();
    const contenders: Contender[] = [
      { name: 'bare Extism, in this process', run: () => bareCall(module), inARow },
      { name: 'bare host process, no sandbox', run: () => prototype[0].call(), inARow },
      { name: 'our executor', run: () => ourCall(executor, grant), inARow },
      { name: 'an Extism worker per call', run: () => workerCall(module) },
    ];
    const timings = await compare(contenders, rounds);
    console.log(`${formatTable('A plug-in of 20 KB, a new instance per call', timings)}\n`);
    const [, bare, own, worker] = timings.map(({ medianMs }) => medianMs);
    verdict(
      (worker ?? 0) >= targets.belowWorker * (own ?? 0),
      `at least ${targets.belowWorker} × faster than a worker per call: ${((worker ?? 0) / (own ?? 1)).toFixed(0)} ×`,
    );
    verdict(
      (bare ?? 0) >= targets.ofPrototype * (own ?? 0),
      `at least ${targets.ofPrototype} of a bare host's speed, one at a time: ${((bare ?? 0) / (own ?? 1)).toFixed(2)}`,
    );

    // In turn, so other load on the machine affects both equally.
    const counts = { prototype: 0, own: 0 };
    for (let turn = 0; turn < turns; turn++) {
      counts.prototype += await callsIn(throughputMs / turns, hosts, (lane) =>
        (lane === 0 ? prototype[0] : prototype[1]).call(),
      );
      counts.own += await callsIn(throughputMs / turns, hosts, () => ourCall(executor, grant));
    }
    const perSecond = (calls: number): string => `${Math.round((calls / throughputMs) * 1000)} calls/s`;
    console.log(
      `\n  ${hosts} concurrent: two bare host processes ${perSecond(counts.prototype)}, our executor ${perSecond(counts.own)}`,
    );
    verdict(
      counts.own >= targets.ofPrototype * counts.prototype,
      `at least ${targets.ofPrototype} of two bare hosts' throughput: ${(counts.own / counts.prototype).toFixed(2)}`,
    );
    verdict(
      idleMegabytes <= targets.idleMegabytes,
      `at most ${targets.idleMegabytes} MB for an idle host: ${idleMegabytes.toFixed(0)} MB`,
    );
    console.log('');
  } finally {
    for (const host of prototype) host.close();
    await executor.close?.();
    await sandbox.close?.();
  }
}

async function textRedact(): Promise<Grant> {
  const found = await folderCatalog([{ path: skillFolder, tier: 'local' }]).find('text-redact');
  if (found === undefined || 'problem' in found)
    throw new Error('the bundled skill text-redact does not exist');
  return granted(found);
}

const options = { useWasi: false, runInWorker: false } as const;

async function bareCall(module: WebAssembly.Module): Promise<void> {
  const plugin = await createPlugin({ wasm: [{ module }] }, options);
  check((await plugin.call('run', JSON.stringify(input)))?.text());
}

async function workerCall(module: WebAssembly.Module): Promise<void> {
  const plugin = await createPlugin({ wasm: [{ module }] }, { useWasi: false, runInWorker: true });
  try {
    check((await plugin.call('run', JSON.stringify(input)))?.text());
  } finally {
    await plugin.close();
  }
}

const never = new AbortController().signal;

async function ourCall(executor: SkillExecutor, grant: Grant): Promise<void> {
  const { outcome } = await executor.execute(grant, { protocol: 'json', value: input }, never);
  check(outcome.status === 'succeeded' ? JSON.stringify(outcome.output) : JSON.stringify(outcome));
}

/** Fails unless the call succeeds, because refusals are fast. */
function check(output: string | undefined): void {
  if (output === undefined || !output.includes('[redacted-email]'))
    throw new Error(`the call returned ${output}`);
}

function bareHost(file: string) {
  const program = fileURLToPath(new URL('bare-host.mjs', import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  return {
    call: () =>
      new Promise<void>((resolve) => {
        waiting.push((line) => resolve(check(line)));
        child.stdin.write(`${JSON.stringify(input)}\n`);
      }),
    close: () => child.kill(),
  };
}
