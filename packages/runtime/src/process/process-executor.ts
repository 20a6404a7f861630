import {
  type Execution,
  type ExecutionInput,
  type Grant,
  type Outcome,
  programsNamed,
  type SkillExecutor,
} from '@ambit/core';
import { jsonOutcome } from '../output/json-outcome.ts';
import { resolveEntry, skillFolder } from './entry.ts';
import { grantedMounts, type OwnPaths } from './granted-paths.ts';
import { type HostProgram, hostProgram } from './host-program.ts';
import { withRlimits } from './rlimits.ts';
import type { Sandbox, SandboxedCommand, SandboxedRun } from './sandbox.ts';

/** What the process executor is made of. */
export interface ProcessExecutorOptions {
  sandbox: Sandbox;
  /** What belongs to Ambit itself and stays out of reach, whatever is granted around it. */
  own?: OwnPaths;
  /** Where the values of granted environment variables come from. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Runs skills that are programs of the host, each call in a sandbox of its own. */
export function processExecutor({
  sandbox,
  environment,
  own = { hidden: [], readOnly: [] },
}: ProcessExecutorOptions): SkillExecutor {
  return {
    enforces: ['filesystem.read', 'filesystem.write', 'env', 'exec'],
    async execute(grant, input, signal) {
      const wished = await sandboxedCommand(grant, input, environment, { hostUser: sandbox.hostUser, own });
      const { timeoutMs, outputBytes, memoryBytes, cpuMs, processes } = grant.limits;
      const ceilings = { memoryBytes, cpuMs, processes };
      const command = sandbox.boundsRuns ? wished : await withRlimits(wished, ceilings);
      const run = await sandbox.run(
        command,
        { stdin: stdinOf(input), timeoutMs, outputBytes, ceilings },
        signal,
      );
      return execution(grant, input, run, sandbox.name);
    },
  };
}

async function sandboxedCommand(
  grant: Grant,
  input: ExecutionInput,
  environment: ProcessExecutorOptions['environment'],
  around: Parameters<typeof grantedMounts>[1],
): Promise<SandboxedCommand> {
  const { skill, capabilities } = grant;
  const entry = await resolveEntry(skill);
  const programs = await grantedPrograms(capabilities.exec);
  const granted = await grantedMounts(grant, around);
  const interpreter =
    entry.interpreter === undefined ? [] : [programs.get(entry.interpreter)?.path ?? entry.interpreter];
  const [file = entry.file, ...rest] = [...interpreter, ...entry.options, entry.file];
  const writesWorkspace = capabilities.filesystem.write.includes('workspace');
  return {
    argv: [file, ...rest, ...(input.protocol === 'command' ? input.args : [])],
    env: {
      PATH: '/usr/bin',
      HOME: writesWorkspace ? '/workspace' : '/tmp',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      ...grantedEnvironment(capabilities.env, environment),
    },
    cwd: writesWorkspace ? '/workspace' : '/tmp',
    mounts: [
      ...[...programs.values()].flatMap(({ mounts }) => mounts),
      ...granted.mounts,
      { source: skill.root, target: skillFolder },
    ],
    links: { '/bin': 'usr/bin', ...Object.assign({}, ...[...programs.values()].map(({ links }) => links)) },
    hidden: granted.hidden,
    workspace: writesWorkspace ? { path: '/workspace', files: input.files ?? [] } : undefined,
  };
}

/** By name. A member of a set that the host does not have is left out; a program that is named has to be there. */
async function grantedPrograms(names: readonly string[]): Promise<ReadonlyMap<string, HostProgram>> {
  const found = await Promise.all(
    names.flatMap((name) => {
      const { programs, optional } = programsNamed(name);
      return programs.map(async (program): Promise<[string, HostProgram][]> => {
        const place = optional
          ? await hostProgram(program).catch(() => undefined)
          : await hostProgram(program);
        return place === undefined ? [] : [[program, place]];
      });
    }),
  );
  return new Map(found.flat());
}

function grantedEnvironment(
  names: readonly string[],
  environment: ProcessExecutorOptions['environment'],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
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
