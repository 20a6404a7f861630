import { SkillError } from '@ambit/core';
import type { Grant, Outcome, RunInput, RunResult } from '@ambit/core/execute';
import { isScript } from '@ambit/core/skill';
import { redactedText } from '../egress/call-egress.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { JsonThread } from '../json/json-thread.ts';
import { commandOutcome, outputOutcome } from '../output/output-outcome.ts';
import { logText } from '../output/progress-lines.ts';
import { withWritten, writtenText } from '../output/written.ts';
import { callBounds } from './call-bounds.ts';
import { denialsOf } from './denials-of.ts';
import { endedByItself } from './pool/host-protocol.ts';
import type { HostAnswer } from './pool/wasm-host.ts';

/**
 * The result of a call, from its host's answer. Secrets that `proxy` knows are redacted in the log
 * after progress lines are removed. Throws `SKILL_INVALID` for an entry that the host cannot call.
 */
export async function callExecution(
  grant: Grant,
  input: RunInput,
  answer: HostAnswer,
  sandbox: string,
  { proxy, json }: { proxy: CallProxy | undefined; json: JsonThread | undefined },
): Promise<Omit<RunResult, 'used'>> {
  const { end, durationMs, cpuMs } = answer;
  const { memoryPeakBytes, fuelConsumed } =
    end.status === 'done' ? end.done : { memoryPeakBytes: null, fuelConsumed: null };
  const log = await redactedText(proxy, await logText(answer.log, wasCut(answer)));
  const outcome = await outcomeOf(grant, input, answer, log, json);
  const usage = { durationMs, cpuMs, memoryPeakBytes, fuelConsumed };
  const ended: Omit<RunResult, 'used'> = { outcome, usage, log, sandbox, ...denialsOf(grant, end) };
  if (end.status === 'done' && end.changes !== undefined) ended.files = end.changes;
  return ended;
}

/** Whether output may stop in the middle of a character, line or secret. */
export function wasCut({ end }: HostAnswer): boolean {
  return end.status !== 'done' || !endedByItself(end.done);
}

async function outcomeOf(
  grant: Grant,
  input: RunInput,
  answer: HostAnswer,
  log: string,
  json: JsonThread | undefined,
): Promise<Outcome> {
  const { end, stdout } = answer;
  const isCommand = input.protocol === 'command';
  const outcome = await endedAs(grant, end, log, { input, stdout, json });
  if (!isCommand || outcome.status === 'succeeded') return outcome;
  return withWritten(outcome, { stdout: await writtenText(stdout, wasCut(answer)), stderr: log });
}

interface Reading {
  input: RunInput;
  /** Empty for protocol json. */
  stdout: Uint8Array;
  json: JsonThread | undefined;
}

async function endedAs(
  grant: Grant,
  end: HostAnswer['end'],
  log: string,
  reading: Reading,
): Promise<Outcome> {
  const { timeoutMs, cpuMs, memoryBytes, outputBytes } = grant.limits;
  switch (end.status) {
    case 'timed-out':
      return { status: 'timed-out', timeoutMs };
    case 'out-of-cpu':
      return { status: 'timed-out', cpuMs };
    case 'output-too-large':
      return { status: 'output-too-large', outputBytes };
    case 'canceled':
      return { status: 'canceled', reason: end.reason };
    case 'lost':
      // The module crashed its host process, which counts as its own failure.
      return end.outOfMemory
        ? { status: 'out-of-memory', memoryBytes }
        : { status: 'failed', failure: { trap: end.detail }, stderr: log };
    case 'done':
      return outcomeOfDone(grant, end, log, reading);
    default:
      return end satisfies never;
  }
}

async function outcomeOfDone(
  grant: Grant,
  { done: { verdict }, output }: Extract<HostAnswer['end'], { status: 'done' }>,
  log: string,
  { input, stdout, json }: Reading,
): Promise<Outcome> {
  const { skill, limits } = grant;
  switch (verdict.status) {
    case 'returned':
      if (input.protocol === 'command') return commandOutcome(input, stdout, log, json);
      // A script's output is JSON already: the engine writes it.
      return outputOutcome(output, isScript(skill.run) ? undefined : skill.run.output, log, json);
    case 'returned-nothing':
      return { status: 'succeeded', output: skill.run.output === 'text' ? '' : null };
    case 'failed':
      return { status: 'failed', failure: { trap: verdict.trap }, stderr: log };
    case 'exited':
      return { status: 'failed', failure: { exitCode: verdict.exitCode }, stderr: log };
    case 'out-of-fuel':
      return { status: 'out-of-fuel', fuel: callBounds(grant).fuel };
    case 'capability-violated':
      return {
        status: 'capability-violated',
        capability: verdict.capability,
        detail: verdict.detail,
      };
    case 'out-of-memory':
      return { status: 'out-of-memory', memoryBytes: limits.memoryBytes };
    case 'output-too-large':
      return { status: 'output-too-large', outputBytes: limits.outputBytes };
    case 'refused':
      throw new SkillError('SKILL_INVALID', `${skill.id}: entry ${skill.run.entry} ${verdict.problem}`);
    default:
      return verdict satisfies never;
  }
}
