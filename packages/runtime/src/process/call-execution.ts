import type { Grant, Outcome, RunInput, RunResult } from '@ambit/core/execute';
import { redactedText } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { commandOutcome, outputOutcome } from '../output/output-outcome.ts';
import { logText } from '../output/progress-lines.ts';
import { withWritten, writtenText } from '../output/written.ts';
import type { SandboxedRun } from './sandbox/sandbox.ts';

/** A finished run, before its used capabilities are added. */
export type EndedRun = Omit<RunResult, 'used'>;

/**
 * The result of a program's run. `sandbox` names the isolation it had. Secrets that `proxy` knows
 * are redacted in the log after progress lines are removed.
 */
export async function callExecution(
  grant: Grant,
  input: RunInput,
  run: SandboxedRun,
  sandbox: string,
  { proxy, json }: { proxy: CallProxy | undefined; json: JsonThread | undefined },
): Promise<EndedRun> {
  const stderr = await redactedText(proxy, await logText(run.stderr, wasCut(run)));
  const ended: EndedRun = {
    outcome: await outcomeOf(grant, input, run, stderr, json),
    usage: {
      durationMs: run.durationMs,
      cpuMs: run.cpuMs,
      memoryPeakBytes: run.memoryPeakBytes,
      fuelConsumed: null,
    },
    log: stderr,
    sandbox,
  };
  if (run.files !== undefined) ended.files = run.files;
  return ended;
}

/** Whether output may stop in the middle of a character, line or secret. */
export function wasCut({ end }: SandboxedRun): boolean {
  return end.status !== 'exited';
}

async function outcomeOf(
  grant: Grant,
  input: RunInput,
  run: SandboxedRun,
  stderr: string,
  json: JsonThread | undefined,
): Promise<Outcome> {
  const outcome = await endedAs(grant, input, run, stderr, json);
  if (input.protocol === 'json' || outcome.status === 'succeeded') return outcome;
  return withWritten(outcome, { stdout: await writtenText(run.stdout, wasCut(run)), stderr });
}

async function endedAs(
  { limits, skill }: Grant,
  input: RunInput,
  { end, stdout }: SandboxedRun,
  stderr: string,
  json: JsonThread | undefined,
): Promise<Outcome> {
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
        ? outputOutcome(stdout, skill.run.output, stderr, json)
        : commandOutcome(input, stdout, stderr, json);
    default:
      return end satisfies never;
  }
}
