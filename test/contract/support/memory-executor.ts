import type { Grant, Outcome, RunResult, SkillExecutor } from '../../../packages/core/src/execute.ts';
import { SkillError } from '../../../packages/core/src/index.ts';
import { type Payload, type RunObserver, usedNothing } from '../../../packages/core/src/internal.ts';
import { liveRun, logText } from '../../../packages/runtime/src/index.ts';

/** A skill as a function from text to bytes. It fails by throwing. */
export type MemorySkill = (
  input: string,
  surroundings: {
    /** Aborted when the result is no longer needed. */
    signal: AbortSignal;
    log(text: string): void;
    /** Private to the skill and this call. */
    files: Map<string, string>;
  },
) => string | Uint8Array | Promise<string | Uint8Array>;

/**
 * An executor for skills in this process, by the name of their entry: no sandbox, but the complete
 * contract.
 */
export function memoryExecutor(skills: ReadonlyMap<string, MemorySkill>): SkillExecutor {
  return {
    enforces: [],
    async execute(
      {
        skill: {
          id,
          run: { entry, input: takes, output: gives },
        },
        limits,
      },
      input,
      signal,
      watch,
    ) {
      if (input.protocol !== 'json') throw new SkillError('INPUT_INVALID', `${id} takes "input"`);
      const skill = skills.get(entry);
      if (skill === undefined)
        throw new SkillError('SKILL_INVALID', `${id}: no skill is registered as ${entry}`);
      const text = takes === 'text' ? String(input.value) : JSON.stringify(input.value);
      return run(skill, { limits, gives }, text, signal, watch);
    },
  };
}

async function run(
  skill: MemorySkill,
  { limits, gives }: { limits: Grant['limits']; gives: Payload | undefined },
  input: string,
  signal: AbortSignal,
  watch: RunObserver | undefined,
): Promise<RunResult> {
  const live = watch && liveRun(watch);
  const startedAt = performance.now();
  let log = new Uint8Array();
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const stop = AbortSignal.any([signal, deadline]);
  const outcome = await new Promise<Outcome>((resolve) => {
    const abort = (): void => resolve(stoppedOutcome(stop, deadline, limits));
    if (stop.aborted) return abort();
    stop.addEventListener('abort', abort, { once: true });
    Promise.resolve()
      .then(() =>
        skill(input, {
          signal: stop,
          files: new Map(),
          log: (text) => {
            const before = log.length;
            log = Buffer.concat([log, bytesOf(text)]).subarray(0, limits.outputBytes);
            live?.add('log', log.subarray(before));
          },
        }),
      )
      .then(
        async (output) => resolve(outcomeOf(bytesOf(output), limits, gives, await logText(log))),
        async (error: unknown) =>
          resolve({
            status: 'failed',
            failure: { trap: (error as Error).message },
            stderr: await logText(log),
          }),
      )
      .finally(() => stop.removeEventListener('abort', abort));
  });
  live?.end();
  return {
    outcome,
    usage: {
      durationMs: performance.now() - startedAt,
      cpuMs: null,
      memoryPeakBytes: null,
      fuelConsumed: null,
    },
    used: usedNothing,
    log: await logText(log),
    sandbox: 'none',
  };
}

function stoppedOutcome({ reason }: AbortSignal, deadline: AbortSignal, limits: Grant['limits']): Outcome {
  if (deadline.aborted && reason === deadline.reason) {
    return { status: 'timed-out', timeoutMs: limits.timeoutMs };
  }
  return { status: 'canceled', reason: reason instanceof Error ? reason.message : String(reason) };
}

function outcomeOf(
  output: Uint8Array,
  { outputBytes }: Grant['limits'],
  gives: Payload | undefined,
  stderr: string,
): Outcome {
  if (output.length > outputBytes) return { status: 'output-too-large', outputBytes };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(output);
    return { status: 'succeeded', output: gives === 'text' ? text : JSON.parse(text) };
  } catch (error) {
    return { status: 'output-invalid', detail: (error as Error).message, stderr };
  }
}

function bytesOf(output: string | Uint8Array): Uint8Array {
  return typeof output === 'string' ? new TextEncoder().encode(output) : output;
}
