import type { CallRecord } from '@ambit/core/audit';
import { usedPhrases } from './used-text.ts';

/** The columns of a record in CSV, in order: the fields that fit in a spreadsheet. */
const columns: Readonly<Record<string, (record: CallRecord) => string | number | null | undefined>> = {
  sequence: ({ sequence }) => sequence,
  executionId: ({ executionId }) => executionId,
  parentId: ({ parentId }) => parentId,
  startedAt: ({ startedAt }) => startedAt,
  endedAt: ({ endedAt }) => endedAt,
  via: ({ via }) => via,
  actor: ({ actor }) => actor,
  skill: ({ skill }) => skill?.id,
  version: ({ skill }) => known(skill)?.version,
  digest: ({ skill }) => known(skill)?.digest,
  tier: ({ skill }) => known(skill)?.tier,
  policyDigest: ({ policyDigest }) => policyDigest,
  outcome: ({ outcome }) => outcome,
  errorCode: ({ error }) => error?.code,
  errorMessage: ({ error }) => error?.message,
  request: ({ request }) => request,
  denied: ({ capabilities: { denied } }) =>
    denied.map(({ capability, requested }) => `${capability} ${requested}`).join('; '),
  sandbox: ({ sandbox }) => sandbox,
  durationMs: ({ usage }) => usage?.durationMs,
  queueMs: ({ usage }) => usage?.queueMs,
  cpuMs: ({ usage }) => usage?.cpuMs,
  memoryPeakBytes: ({ usage }) => usage?.memoryPeakBytes,
  fuelConsumed: ({ usage }) => usage?.fuelConsumed,
  inputDigest: ({ input }) => input?.digest,
  inputBytes: ({ input }) => input?.bytes,
  outputDigest: ({ output }) => output?.digest,
  outputBytes: ({ output }) => output?.bytes,
  reason: ({ reason }) => reason,
  used: ({ used }) => used && (usedPhrases(used).join('; ') || 'nothing'),
  node: ({ node }) => node,
  failure: ({ failure }) => failure && failureText(failure),
};

/** The header line, with its line end. */
export const csvHeader = `${Object.keys(columns).join(',')}\r\n`;

/**
 * A record as a line of CSV (RFC 4180), with its line end. A cell that a spreadsheet would read as
 * a formula is prefixed with an apostrophe, because its text is untrusted.
 */
export function csvLine(record: CallRecord): string {
  return `${Object.values(columns)
    .map((value) => cell(value(record)))
    .join(',')}\r\n`;
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function failureText(failure: NonNullable<CallRecord['failure']>): string {
  if ('exitCode' in failure) return `exit code ${failure.exitCode}`;
  return 'signal' in failure ? failure.signal : failure.trap;
}

function known(skill: CallRecord['skill']) {
  return skill !== null && 'tier' in skill ? skill : null;
}
