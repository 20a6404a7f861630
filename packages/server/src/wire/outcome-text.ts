import type { Outcome } from '@ambit/core/execute';
import type { Failure } from '@ambit/core/internal';

/**
 * What happened to a call that did not succeed, and what to do next: one line each. What the skill wrote is shown above
 * them. `hint` is the result's; `timeoutHint` is said where a caller has a way of its own to set the wall time.
 */
export function outcomeText(
  skillId: string,
  outcome: Exclude<Outcome, { status: 'succeeded' }>,
  { hint, timeoutHint = '' }: { hint?: string | undefined; timeoutHint?: string } = {},
): [string, string] {
  switch (outcome.status) {
    case 'failed':
      return [`${skillId} ${failureText(outcome.failure)}.`, hint ?? whatItWrote(outcome)];
    case 'timed-out':
      return 'cpuMs' in outcome
        ? [
            `${skillId} was stopped: it had used its ${outcome.cpuMs} ms of processor time.`,
            lessOrMore('cpuMs'),
          ]
        : [
            `${skillId} was stopped: it had run for its ${outcome.timeoutMs} ms.`,
            `${lessOrMore('timeoutMs')}${timeoutHint}`,
          ];
    case 'out-of-memory':
      return [
        `${skillId} was stopped: it needed more than its ${outcome.memoryBytes} bytes of memory.`,
        lessOrMore('memoryBytes'),
      ];
    case 'out-of-fuel':
      return [`${skillId} was stopped: it had used its fuel of ${outcome.fuel}.`, lessOrMore('fuel')];
    case 'output-too-large':
      return [
        `${skillId} was stopped: it wrote more than its ${outcome.outputBytes} bytes.`,
        lessOrMore('outputBytes'),
      ];
    case 'output-invalid':
      return [
        `${skillId} ran, but its result cannot be used: ${outcome.detail}.`,
        'Fix the skill: its output, its state file, or run.output in its ambit.yaml.',
      ];
    case 'capability-violated':
      return [
        `${skillId} was stopped: it reached for ${outcome.capability}: ${outcome.detail}.`,
        'If it should have that, its ambit.yaml has to request it and the configuration has to grant it.',
      ];
    case 'canceled':
      return [`${skillId} was canceled: ${outcome.reason}.`, 'Nothing of it runs on.'];
    case 'interrupted':
      return [
        `${skillId} was interrupted: the daemon died during the call.`,
        'Start the daemon and call again.',
      ];
    default:
      return outcome satisfies never;
  }
}

function whatItWrote({ failure, stdout = '', stderr }: Extract<Outcome, { status: 'failed' }>): string {
  if (stdout.trim() !== '' || stderr.trim() !== '') return 'What it wrote is above.';
  return 'trap' in failure
    ? 'It wrote nothing else.'
    : 'It wrote nothing that says why. Have the skill write the reason to stderr.';
}

function failureText(failure: Failure): string {
  if ('exitCode' in failure) return `failed with exit code ${failure.exitCode}`;
  return 'signal' in failure ? `was ended by ${failure.signal}` : `failed: ${failure.trap}`;
}

function lessOrMore(limit: string): string {
  return `Give it less to do, or raise the limit: run.limits.${limit} in its ambit.yaml and limits.${limit} in the configuration set it, within its tier's.`;
}
