import type { CallRecord, Outcome } from '@ambit/client';
import { durationText } from '../format/units.ts';

/** Returns the duration of a call, or of its refusal. Empty while it runs. */
export function tookText({ usage, startedAt, endedAt }: CallRecord): string {
  if (usage !== null) return durationText(usage.durationMs);
  return endedAt === null ? '' : durationText(Date.parse(endedAt) - Date.parse(startedAt));
}

/** In a few words: the refusal, the failure, or what was not granted. Untrusted. */
export function whyText({ error, failure, reason, capabilities }: CallRecord): string {
  if (error !== null) return error.code;
  if (reason !== undefined) return reason;
  if (failure !== null) return failureText(failure);
  return [...new Set(capabilities.denied.map(({ capability }) => `refused ${capability}`))].join(', ');
}

/** Explains why a run did not succeed, as far as its status does not say it. Untrusted. */
export function outcomeWhy(outcome: Outcome): string {
  switch (outcome.status) {
    case 'failed':
      return failureText(outcome.failure);
    case 'output-invalid':
      return outcome.detail;
    case 'capability-violated':
      return `${outcome.capability}, ${outcome.detail}`;
    case 'canceled':
      return outcome.reason;
    default:
      return '';
  }
}

function failureText(failure: NonNullable<CallRecord['failure']>): string {
  if ('exitCode' in failure) return `exit code ${failure.exitCode}`;
  return 'signal' in failure ? failure.signal : failure.trap.slice(0, 200);
}
