import type { CallRecord } from '@ambit/core/audit';

export const recordHeader = ['SEQUENCE', 'STARTED', 'VIA', 'OUTCOME', 'TOOK', 'SKILL', 'DETAIL'];

/** A record as a row of a table. */
export function recordRow(record: CallRecord): string[] {
  return [
    record.node === undefined ? String(record.sequence) : `${record.node}/${record.sequence}`,
    record.startedAt,
    record.via,
    record.outcome,
    record.usage === null ? '-' : `${Math.round(record.usage.durationMs)} ms`,
    record.skill?.id ?? record.request ?? '-',
    detail(record),
  ];
}

/** The reason of the outcome, or else the execution's id. */
function detail({
  error,
  reason,
  failure,
  capabilities: { denied },
  outcome,
  executionId,
}: CallRecord): string {
  if (error !== null) return error.code;
  if (reason !== undefined) return reason;
  if (outcome === 'capability-violated' && denied.length > 0)
    return denied.map(({ capability, requested }) => `${capability} ${requested}`).join(', ');
  if (failure === null) return executionId;
  return Object.entries(failure)
    .map(([what, value]) => `${what} ${value}`)
    .join('');
}
