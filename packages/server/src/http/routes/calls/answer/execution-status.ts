import type { ExecutionStatus } from '@ambit/api';
import type { CallRecord } from '@ambit/core/audit';
import type { Job } from '../../../../jobs/job.ts';

/** The path of an execution. */
export function executionPath(executionId: string): string {
  return `/executions/${executionId}`;
}

/** The status of a job that this daemon holds. */
export function executionStatus({ executionId, skillId, startedAt, state }: Job): ExecutionStatus {
  const now = state();
  const started = { executionId, skillId, startedAt: iso(startedAt) };
  if (now.status !== 'finished') return { ...started, status: now.status, endedAt: null };
  const { kind, outcome, body, isUnstored } = now.response;
  const status: ExecutionStatus = {
    ...started,
    status: 'finished',
    endedAt: iso(now.endedAt),
    outcome: kind === 'problem' ? 'denied' : (outcome as CallRecord['outcome']),
    [kind]: body,
  };
  if (isUnstored) status.stored = false;
  return status;
}

const notStored = 'the response is not stored, or no longer; this is what the audit log has';
const elsewhere =
  'it was not started over this transport, so it cannot be followed or canceled here; this is what the audit log has';

/** The status in the audit log: from the record of a call, or from the records of a chain or batch, at least one. */
export function recordedStatus(executionId: string, records: readonly CallRecord[]): ExecutionStatus {
  const [last] = records;
  const first = records.at(-1);
  if (last === undefined || first === undefined) throw new Error('there is at least one record');
  const skillId = first.executionId === executionId ? (first.skill?.id ?? null) : null;
  const { startedAt } = first;
  if (records.some(({ outcome }) => outcome === 'running'))
    return { executionId, skillId, status: 'running', startedAt, endedAt: null, detail: elsewhere };
  const { endedAt, outcome } = last;
  return { executionId, skillId, status: 'finished', startedAt, endedAt, outcome, detail: notStored };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
