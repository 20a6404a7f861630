import { type Execution, type Grant, type Outcome, SkillError, type SkillExecutor } from '@ambit/core';
import { jsonOutcome } from '../output/json-outcome.ts';
import { runInSandbox } from '../process/sandbox/run-in-sandbox.ts';
import type { Sandbox, SandboxedRun } from '../process/sandbox/sandbox.ts';
import { readEntryModule } from './entry-module.ts';
import { hostCeilings, hostCommand } from './host-command.ts';
import { encodeRequest, type HostAnswer, readAnswer } from './host-protocol.ts';

/** What the WASM executor is made of. */
export interface WasmExecutorOptions {
  /** The walls around the host process: WebAssembly is the first, this is the second. */
  sandbox: Sandbox;
}

/**
 * Runs skills that are Extism plug-ins. Such a skill is a core WebAssembly module that exports `run`, which takes
 * nothing and returns an `i32`: it reads its input as JSON, writes its output as JSON and returns 0. With another
 * number, or an error set, it has failed.
 *
 * Each call has a host process of its own, started in the sandbox and gone afterwards, so that two calls share nothing.
 *
 * `execute` throws `SKILL_INVALID` for an entry that is no such module, and `SANDBOX_UNAVAILABLE` when the host process
 * did not start.
 */
export function wasmExecutor({ sandbox }: WasmExecutorOptions): SkillExecutor {
  return {
    enforces: [],
    async execute(grant, input, signal) {
      const { skill, limits } = grant;
      if (input.protocol !== 'json') {
        throw new SkillError(
          'INPUT_INVALID',
          `${skill.id} is a WASM skill: send "input" instead of "args" and "stdin"`,
        );
      }
      const module = await readEntryModule(skill);
      const stdin = encodeRequest(limits, module, new TextEncoder().encode(JSON.stringify(input.value)));
      const given = { stdin, timeoutMs: limits.timeoutMs, outputBytes: limits.outputBytes + frameBytes };
      const plan = { command: hostCommand(limits), ceilings: hostCeilings(limits, stdin.length) };
      const run = await runInSandbox(sandbox, plan, given, signal);
      return execution(grant, run, sandbox.name);
    },
  };
}

/** Room for what the host says around the output, and for V8's last words around the log. */
const frameBytes = 64 * 1024;

function execution(grant: Grant, run: SandboxedRun, sandbox: string): Execution {
  const log = logOf(grant, run);
  return {
    outcome: outcomeOf(grant, run, log),
    usage: {
      durationMs: run.durationMs,
      cpuMs: run.cpuMs,
      memoryPeakBytes: run.memoryPeakBytes,
      fuelConsumed: null,
    },
    log,
    sandbox,
  };
}

function logOf({ limits }: Grant, { stderr }: SandboxedRun): string {
  return decoded(stderr.subarray(0, limits.outputBytes));
}

function outcomeOf(grant: Grant, run: SandboxedRun, log: string): Outcome {
  const { timeoutMs, cpuMs, memoryBytes, outputBytes } = grant.limits;
  const { end } = run;
  switch (end.status) {
    case 'timed-out':
      return { status: 'timed-out', timeoutMs };
    case 'out-of-cpu':
      return { status: 'timed-out', cpuMs };
    case 'out-of-memory':
      return { status: 'out-of-memory', memoryBytes };
    case 'output-too-large':
      return { status: 'output-too-large', outputBytes };
    case 'canceled':
      return { status: 'canceled', reason: end.reason };
    case 'exited':
      return answerOutcome(grant, readAnswer(run.stdout), log, {
        exitCode: end.exitCode,
        lastWords: decoded(run.stderr),
      });
    default:
      return end satisfies never;
  }
}

/** How the host process ended, for when it did not say how the call did. */
interface HostEnd {
  exitCode: number;
  lastWords: string;
}

function answerOutcome({ skill, limits }: Grant, answer: HostAnswer, log: string, end: HostEnd): Outcome {
  switch (answer.status) {
    case 'returned':
      return jsonOutcome(answer.output, log);
    case 'failed':
      return { status: 'failed', failure: { trap: answer.trap }, stderr: log };
    case 'out-of-memory':
      return { status: 'out-of-memory', memoryBytes: limits.memoryBytes };
    case 'output-too-large':
      return { status: 'output-too-large', outputBytes: limits.outputBytes };
    case 'refused':
      throw new SkillError('SKILL_INVALID', `${skill.id}: its entry ${skill.run.entry} ${answer.problem}`);
    case 'absent':
      throw new SkillError('SANDBOX_UNAVAILABLE', 'the host process for WASM skills did not start', {
        cause: new Error(`it ended with code ${end.exitCode}: ${end.lastWords}`),
      });
    case 'cut-off':
      // The module brought its host process down, which is one of its ways to end.
      return v8RanOutOfMemory(end.lastWords)
        ? { status: 'out-of-memory', memoryBytes: limits.memoryBytes }
        : {
            status: 'failed',
            failure: { trap: `the host process ended with code ${end.exitCode}` },
            stderr: log,
          };
    default:
      return answer satisfies never;
  }
}

function v8RanOutOfMemory(lastWords: string): boolean {
  return /^FATAL ERROR: .*out of memory|^# Fatal process out of memory|^# Fatal JavaScript out of memory/im.test(
    lastWords,
  );
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
