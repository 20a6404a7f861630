import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant } from '../packages/core/src/execute.ts';
import { bubblewrapSandbox, hostProgram, processExecutor } from '../packages/runtime/src/index.ts';
import { grantedSkill } from '../test/contract/support/granted-skill.ts';
import { type Contender, compare, formatTable, type Timing } from './compare.ts';
import { runProgram } from './run-program.ts';
import { commandOf, recordingBubblewrap, sameBubblewrap } from './same-bubblewrap.ts';
import { type SandboxRuntime, sandboxRuntime } from './sandbox-runtime.ts';
import { succeeds } from './succeeds.ts';

/** Scripts that return their input. */
const skills = [
  {
    title: 'A one-line shell skill',
    entry: 'scripts/run.sh',
    exec: ['sh', 'cat'],
    script: '#!/bin/sh\nexec cat\n',
  },
  {
    title: 'A Python skill',
    entry: 'scripts/run.py',
    exec: ['python3'],
    script:
      '#!/usr/bin/env python3\nimport json, sys\nprint(json.dumps(json.load(sys.stdin), separators=(",", ":")), end="")\n',
  },
] as const;

const targets = { overBare: 1.3, belowRuntime: 5 };

/** The cost of a sandbox around one program, and what our executor adds to it. */
export async function processBench(folder: string, rounds: number): Promise<void> {
  const empty = join(folder, 'empty');
  await mkdir(empty);
  const before = process.cwd();
  process.chdir(empty);
  const runtime = await sandboxRuntime();
  const recording = await recordingBubblewrap(folder);
  const recorded = bubblewrapSandbox({ file: recording.file });
  // As in a daemon.
  const ours = bubblewrapSandbox({ startsAhead: true });
  try {
    if ('missing' in runtime) {
      console.log(
        `sandbox-runtime is omitted, because it cannot run here: ${runtime.missing}\n(on Debian: apt-get install socat ripgrep)\n`,
      );
    }
    for (const { title, entry, exec, script } of skills) {
      const run = { runtime: 'process', entry, capabilities: { exec } };
      const grant = await grantedSkill(folder, run, { [entry]: script });
      await succeeds(processExecutor({ sandbox: recorded, environment: {} }), grant);
      const call = await recording.latest();
      const [program = '', ...args] = onHost(grant, commandOf(call));
      const executor = processExecutor({ sandbox: ours, environment: {} });
      const contenders: Contender[] = [
        { name: 'bare bwrap, same arguments', run: await sameBubblewrap(call) },
        { name: 'bare spawn, no sandbox', run: () => runProgram(program, args) },
        { name: 'our executor', run: () => succeeds(executor, grant) },
        ...runtimeContender(runtime, [program, ...args]),
      ];
      const timings = await compare(contenders, rounds);
      console.log(`${formatTable(title, timings)}\n\n${verdicts(timings).join('\n')}\n`);
    }
  } finally {
    for (const sandbox of [recorded, ours]) await sandbox.close?.();
    if ('close' in runtime) await runtime.close();
    process.chdir(before);
  }
}

function runtimeContender(runtime: SandboxRuntime, command: readonly string[]): Contender[] {
  if ('missing' in runtime) return [];
  // These paths are ours and contain no characters with a meaning for a shell.
  return [{ name: 'sandbox-runtime', run: () => runtime.run(command.join(' ')) }];
}

/**
 * Translates a command in the sandbox into one on the host: the skill's real folder and the real
 * program.
 */
function onHost({ skill }: Grant, command: readonly string[]): string[] {
  return command.map((word) => {
    if (word.startsWith('/skill/')) return word.replace('/skill', skill.root);
    const name = /^\/usr\/bin\/(\w+)$/.exec(word)?.[1];
    return name === undefined ? word : (hostProgram(name).mounts[0]?.source ?? word);
  });
}

function verdicts(timings: readonly Timing[]): string[] {
  const medianOf = (name: string): number | undefined => timings.find((each) => each.name === name)?.medianMs;
  const [bare, own, runtime] = [
    medianOf('bare bwrap, same arguments') ?? Number.NaN,
    medianOf('our executor') ?? Number.NaN,
    medianOf('sandbox-runtime'),
  ];
  const verdict = (reached: boolean): string => (reached ? 'reached' : 'missed ');
  return [
    `  ${verdict(own <= targets.overBare * bare)}  at most ${targets.overBare} × bare bwrap: ${(own / bare).toFixed(2)} ×`,
    runtime === undefined
      ? '  not measured  against sandbox-runtime'
      : `  ${verdict(runtime >= targets.belowRuntime * own)}  at least ${targets.belowRuntime} × faster than sandbox-runtime: ${(runtime / own).toFixed(2)} ×`,
  ];
}
