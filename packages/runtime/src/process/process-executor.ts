import type { Execution, ExecutionInput, Grant, Outcome, SkillExecutor } from '@ambit/core';
import { jsonOutcome } from '../output/json-outcome.ts';
import { listFolder } from '../skills/list-folder.ts';
import type { OwnPaths } from './granted-paths.ts';
import { prewarmed } from './prewarmed.ts';
import { withRlimits } from './rlimits.ts';
import { finish, runInSandbox } from './sandbox/run-in-sandbox.ts';
import type { RunCeilings, Sandbox, SandboxedCommand, SandboxedRun } from './sandbox/sandbox.ts';
import { type Environment, sandboxedCommand } from './sandboxed-command.ts';

/** What the process executor is made of. */
export interface ProcessExecutorOptions {
  sandbox: Sandbox;
  /** What belongs to Ambit itself and stays out of reach, whatever is granted around it. */
  own?: OwnPaths;
  /** Where the values of granted environment variables come from. */
  environment: Environment;
  /** Whether programs are kept waiting for skills whose sidecars ask for it: not worth it for a single call. */
  prewarms?: boolean;
}

/**
 * Runs skills that are programs of the host, each call in a sandbox of its own.
 *
 * Where it prewarms, as many of a skill's programs as its sidecar's `run.prewarm` says are started by `prewarm` or after
 * its first call, and each that is used is replaced. A program that waits is used for one call whose command, ceilings and skill folder are the same to the
 * letter; every other call has one started for it.
 */
export function processExecutor({
  sandbox,
  environment,
  own = { hidden: [], readOnly: [] },
  prewarms = false,
}: ProcessExecutorOptions): SkillExecutor {
  const waiting = prewarmed();
  const planned = async (grant: Grant, args: readonly string[]): Promise<Plan> => {
    const wished = await sandboxedCommand(grant, args, environment, { hostUser: sandbox.hostUser, own });
    const { memoryBytes, cpuMs, processes } = grant.limits;
    const ceilings = { memoryBytes, cpuMs, processes };
    return { command: sandbox.boundsRuns ? wished : withRlimits(wished, ceilings), ceilings };
  };
  const keep = async (grant: Grant, { command, ceilings }: Plan, key: string): Promise<void> =>
    waiting.keep(grant.skill.id, key, prewarmOf(grant), () => sandbox.start(command, ceilings));

  return {
    enforces: ['filesystem.read', 'filesystem.write', 'env', 'exec'],
    async execute(grant, input, signal) {
      const { id } = grant.skill;
      const plan = await planned(grant, input.protocol === 'command' ? input.args : []);
      const { timeoutMs, outputBytes } = grant.limits;
      const given = { stdin: stdinOf(input), timeoutMs, outputBytes, files: input.files ?? [] };
      const key = prewarms && prewarmOf(grant) > 0 ? await keyOf(grant, plan) : undefined;
      const ready = key === undefined ? undefined : waiting.take(id, key);
      try {
        return ready === undefined
          ? execution(grant, input, await runInSandbox(sandbox, plan, given, signal), sandbox.name)
          : execution(grant, input, await finish(ready, given, signal), `${sandbox.name}, prewarmed`);
      } finally {
        // A caller that takes less does not decide what waits for the others.
        if (key !== undefined && !grant.narrowed) keep(grant, plan, key).catch(() => undefined);
      }
    },
    async prewarm(grant) {
      if (!prewarms || prewarmOf(grant) === 0) return;
      const plan = await planned(grant, []);
      await keep(grant, plan, await keyOf(grant, plan));
    },
    close: () => waiting.close(),
  };
}

/** What a call comes to on this machine. */
interface Plan {
  command: SandboxedCommand;
  ceilings: RunCeilings;
}

function prewarmOf({ skill: { run } }: Grant): number {
  return run.runtime === 'process' ? run.prewarm : 0;
}

/**
 * All that a program that waits was started with. The folder as it is now, beside the digest of when it was read: a
 * program reads its files before it waits, and whatever happened to them since then has to show.
 */
async function keyOf({ skill }: Grant, plan: Plan): Promise<string> {
  const { signature } = await listFolder(skill.root);
  return JSON.stringify([skill.digest, signature, plan]);
}

function stdinOf(input: ExecutionInput): Uint8Array {
  return new TextEncoder().encode(input.protocol === 'json' ? JSON.stringify(input.value) : input.stdin);
}

function execution(grant: Grant, input: ExecutionInput, run: SandboxedRun, sandbox: string): Execution {
  const stderr = new TextDecoder().decode(run.stderr);
  return {
    outcome: outcomeOf(grant, input, run, stderr),
    usage: {
      durationMs: run.durationMs,
      cpuMs: run.cpuMs,
      memoryPeakBytes: run.memoryPeakBytes,
      fuelConsumed: null,
    },
    log: stderr,
    sandbox,
    ...(run.files === undefined ? {} : { files: run.files }),
  };
}

function outcomeOf(
  { limits }: Grant,
  input: ExecutionInput,
  { end, stdout }: SandboxedRun,
  stderr: string,
): Outcome {
  switch (end.status) {
    case 'timed-out':
      return { status: 'timed-out', timeoutMs: limits.timeoutMs };
    case 'out-of-cpu':
      return { status: 'timed-out', cpuMs: limits.cpuMs };
    case 'out-of-memory':
      return { status: 'out-of-memory', memoryBytes: limits.memoryBytes };
    case 'output-too-large':
      return { status: 'output-too-large', outputBytes: limits.outputBytes };
    case 'canceled':
      return { status: 'canceled', reason: end.reason };
    case 'exited': {
      if (input.protocol === 'json') {
        return end.exitCode === 0
          ? jsonOutcome(stdout, stderr)
          : { status: 'failed', failure: { exitCode: end.exitCode }, stderr };
      }
      const text = new TextDecoder().decode(stdout);
      return end.exitCode === 0
        ? { status: 'succeeded', output: { exitCode: 0, stdout: text, stderr } }
        : { status: 'failed', failure: { exitCode: end.exitCode }, stdout: text, stderr };
    }
    default:
      return end satisfies never;
  }
}
