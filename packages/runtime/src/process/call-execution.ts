import type { Execution, ExecutionInput, Grant, Outcome } from '@ambit/core';
import { maskedText } from '../egress/call-egress.ts';
import type { CallGate } from '../egress/call-gate.ts';
import { logText } from '../live/progress-lines.ts';
import { commandOutcome, outputOutcome } from '../output/output-outcome.ts';
import { withWritten, writtenText } from '../output/written.ts';
import type { SandboxedRun } from './sandbox/sandbox.ts';

/**
 * What a program's run in its sandbox comes to; `sandbox` names the walls that it had. What `gate` knows as secret is covered
 * in its log once the lines of progress are taken out.
 */
export function callExecution(
  grant: Grant,
  input: ExecutionInput,
  run: SandboxedRun,
  sandbox: string,
  gate: CallGate | undefined,
): Execution {
  const stderr = maskedText(gate, logText(run.stderr, wasCut(run)));
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

/** Whether a stream may end in the middle of something. */
export function wasCut({ end }: SandboxedRun): boolean {
  return end.status !== 'exited';
}

function outcomeOf(grant: Grant, input: ExecutionInput, run: SandboxedRun, stderr: string): Outcome {
  const outcome = endedAs(grant, input, run, stderr);
  if (input.protocol === 'json') return outcome;
  return withWritten(outcome, { stdout: writtenText(run.stdout), stderr });
}

function endedAs(
  { limits, skill }: Grant,
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
    case 'exited':
      if (end.exitCode !== 0) return { status: 'failed', failure: { exitCode: end.exitCode }, stderr };
      return input.protocol === 'json'
        ? outputOutcome(stdout, skill.run.output, stderr)
        : commandOutcome(stdout, stderr);
    default:
      return end satisfies never;
  }
}
