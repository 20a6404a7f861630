import type { CallEvent } from './audit-event.ts';
import { callRecord } from './call-record.ts';
import type { Receipt } from './signed-statements.ts';

/**
 * The receipt of an execution, from its events in log order. `undefined` if there is nothing to
 * attest: it has not ended, or was refused before it named a skill.
 */
export function receiptFor(
  logId: string,
  events: readonly { sequence: number; hash: string; event: CallEvent }[],
): Receipt | undefined {
  const record = callRecord(events);
  const { skill, policyDigest, input, endedAt, outcome, capabilities } = record;
  if (skill === null || policyDigest === null || input === null) return undefined;
  if (endedAt === null || outcome === 'running') return undefined;
  return {
    type: 'ambit/receipt/1',
    logId,
    executionId: record.executionId,
    skill,
    actor: record.actor,
    policyDigest,
    decision: outcome === 'denied' ? 'denied' : outcome === 'interrupted' ? null : 'granted',
    requested: capabilities.requested,
    granted: capabilities.granted,
    input,
    output: record.output,
    outcome,
    error: record.error?.code ?? null,
    startedAt: record.startedAt,
    endedAt,
    events: events.map(({ sequence, hash }) => ({ sequence, hash })),
  };
}
