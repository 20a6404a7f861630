import { type AuditEvent, type AuditLog, callRecord, SkillError } from '../../packages/core/src/index.ts';

interface Entry {
  sequence: number;
  event: AuditEvent;
}

/** The smallest thing that keeps the contract of `AuditLog`: what the contract means, without a database. */
export function memoryAuditLog(): AuditLog {
  const entries: Entry[] = [];
  let closed = false;

  const requireOpen = (): void => {
    if (closed) throw new SkillError('AUDIT_UNAVAILABLE', 'the audit log is closed');
  };
  const records = () => [...Map.groupBy(entries, ({ event }) => event.executionId).values()].map(callRecord);
  const write = (event: AuditEvent): { sequence: number } => {
    const opens = ['call.started', 'request.denied', 'auth.rejected'].includes(event.kind);
    const record = records().find(({ executionId }) => executionId === event.executionId);
    if (opens !== (record === undefined) || (record !== undefined && record.outcome !== 'running')) {
      throw new SkillError('INTERNAL', `execution ${event.executionId} is opened once and ended once`);
    }
    return { sequence: entries.push({ sequence: entries.length + 1, event: structuredClone(event) }) };
  };

  return {
    async append(event) {
      requireOpen();
      return write(event);
    },
    async interruptOpen(time) {
      requireOpen();
      const running = records().filter(({ outcome }) => outcome === 'running');
      for (const { executionId } of running) write({ kind: 'call.interrupted', executionId, time });
      return running.length;
    },
    async query({ skill, outcome, executionId, parentId, limit, before = Number.POSITIVE_INFINITY }) {
      requireOpen();
      const fitting = records()
        .filter((record) => record.sequence < before)
        .filter((record) => skill === undefined || record.skill?.id === skill)
        .filter((record) => outcome === undefined || record.outcome === outcome)
        .filter((record) => executionId === undefined || record.executionId === executionId)
        .filter((record) => parentId === undefined || record.parentId === parentId)
        .reverse();
      const shown = fitting.slice(0, limit);
      return { records: shown, next: fitting.length > limit ? (shown.at(-1)?.sequence ?? null) : null };
    },
    async close() {
      closed = true;
    },
  };
}
