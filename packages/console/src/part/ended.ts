import type { CallRecord } from '@ambit/client';
import { durationText } from '../format/units.ts';

/** How long a call ran, or how long its refusal took. Empty while it runs. */
export function tookText({ usage, startedAt, endedAt }: CallRecord): string {
  if (usage !== null) return durationText(usage.durationMs);
  return endedAt === null ? '' : durationText(Date.parse(endedAt) - Date.parse(startedAt));
}

/** In a few words: the refusal, the failure, or what was not granted. Untrusted. */
export function whyText({ error, failure, reason, capabilities }: CallRecord): string {
  if (error !== null) return error.code;
  if (reason !== undefined) return reason;
  if (failure !== null) {
    if ('exitCode' in failure) return `exit code ${failure.exitCode}`;
    return 'signal' in failure ? failure.signal : failure.trap.slice(0, 200);
  }
  return [...new Set(capabilities.denied.map(({ capability }) => `refused ${capability}`))].join(', ');
}
