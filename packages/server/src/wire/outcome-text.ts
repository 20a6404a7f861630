import type { Outcome } from '@ambit/core/execute';
import type { Failure } from '@ambit/core/outcome';

/**
 * Describes a call that did not succeed, and the remedy: one line each. The skill's
 * own output is shown above them. `hint` is the result's. `remedy` is too, and only for people: for a model, the
 * text names a person who decides.
 */
export function outcomeText(
  skillId: string,
  outcome: Exclude<Outcome, { status: 'succeeded' }>,
  { hint, remedy }: { hint?: string | undefined; remedy?: string | undefined } = {},
): [string, string] {
  const lessOrMore = `Reduce the work. ${remedy ?? 'A person can raise the limit.'}`;
  switch (outcome.status) {
    case 'failed':
      return [`${skillId} ${failureText(outcome.failure)}.`, hint ?? whatItWrote(outcome)];
    case 'timed-out':
      return 'cpuMs' in outcome
        ? [`${skillId} was stopped: it exceeded its processor time of ${outcome.cpuMs} ms.`, lessOrMore]
        : [`${skillId} was stopped: it exceeded its timeout of ${outcome.timeoutMs} ms.`, lessOrMore];
    case 'out-of-memory':
      return [
        `${skillId} was stopped: it exceeded its memory limit of ${outcome.memoryBytes} bytes.`,
        lessOrMore,
      ];
    case 'out-of-fuel':
      return [`${skillId} was stopped: it used up its fuel of ${outcome.fuel}.`, lessOrMore];
    case 'output-too-large':
      return [
        `${skillId} was stopped: it exceeded its output limit of ${outcome.outputBytes} bytes.`,
        lessOrMore,
      ];
    case 'output-invalid':
      return [
        `${skillId} ran, but its result is invalid: ${outcome.detail}.`,
        'Fix the script, or run.output in its ambit.yaml.',
      ];
    case 'capability-violated':
      return [
        `${skillId} was stopped: it tried to use ${outcome.capability}, which is not granted: ${outcome.detail}.`,
        "To allow this, request it in the skill's ambit.yaml and grant it in the configuration.",
      ];
    case 'canceled':
      return [`${skillId} was canceled: ${outcome.reason}.`, 'None of its processes are left.'];
    case 'interrupted':
      return [
        `${skillId} was interrupted: the daemon crashed during the call.`,
        'Start the daemon and call again.',
      ];
    default:
      return outcome satisfies never;
  }
}

/** A sentence about the programs that a run may have lacked, whether it failed or not. */
export function missingProgramsText(skillId: string, programs: readonly string[]): string {
  return `${skillId} names ${programs.join(', ')}, which this machine has and its sandbox lacked. Its result may be incomplete.`;
}

function whatItWrote({ failure, stdout = '', stderr }: Extract<Outcome, { status: 'failed' }>): string {
  if (stdout.trim() !== '' || stderr.trim() !== '') return 'Its output is above.';
  return 'trap' in failure
    ? 'It wrote nothing else.'
    : 'It wrote no reason. Have the skill write the reason to stderr.';
}

function failureText(failure: Failure): string {
  if ('exitCode' in failure) return `failed with exit code ${failure.exitCode}`;
  return 'signal' in failure ? `was killed by ${failure.signal}` : `failed: ${failure.trap}`;
}
