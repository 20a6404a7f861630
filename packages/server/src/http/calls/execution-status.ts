import type { CallRecord } from '@ambit/core';
import type { Job } from '../../jobs/job.ts';
import type { ExecutionStatus } from '../../wire/answer/execution.ts';

/** Where an execution is found. */
export function executionPath(executionId: string): string {
  return `/executions/${executionId}`;
}

/** One that this server holds. */
export function executionStatus({ executionId, skillId, startedAt, state }: Job): ExecutionStatus {
  const now = state();
  const begun = { executionId, skillId, startedAt: iso(startedAt) };
  if (now.status !== 'finished') return { ...begun, status: now.status, endedAt: null };
  const { kind, outcome, body } = now.ending;
  return {
    ...begun,
    ...{ status: 'finished', endedAt: iso(now.endedAt) },
    outcome: kind === 'problem' ? 'denied' : (outcome as CallRecord['outcome']),
    [kind]: body,
  };
}

const notKept = 'its answer is not kept here any more, or never was; this is what the audit log has of it';
const elsewhere =
  'it was not begun here and cannot be watched or canceled here; this is what the audit log has of it';

/** One that only the log knows: its own record, or those of its links when it is a chain. At least one. */
export function recordedView(executionId: string, records: readonly CallRecord[]): ExecutionStatus {
  const [last] = records;
  const first = records.at(-1);
  if (last === undefined || first === undefined) throw new Error('there is at least one record');
  const isRunning = records.some(({ outcome }) => outcome === 'running');
  return {
    executionId,
    skillId: first.executionId === executionId ? (first.skill?.id ?? null) : null,
    status: isRunning ? 'running' : 'finished',
    startedAt: first.startedAt,
    endedAt: isRunning ? null : last.endedAt,
    ...(isRunning ? {} : { outcome: last.outcome }),
    detail: isRunning ? elsewhere : notKept,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
