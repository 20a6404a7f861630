import { createHash } from 'node:crypto';
import {
  type AuditEvent,
  type AuditLog,
  callRecord,
  eventHash,
  eventText,
  genesisHash,
  isCallEvent,
  type RecordedPayload,
  recordFits,
  type Sha256,
  statsOf,
} from '../../packages/core/src/audit.ts';
import { SkillError } from '../../packages/core/src/index.ts';

interface Entry {
  sequence: number;
  event: AuditEvent;
  hash: Uint8Array;
  payloads: RecordedPayload[];
}

/**
 * The smallest implementation of `AuditLog`: it shows what the contract means, without a database.
 */
export function memoryAuditLog(now: () => number = Date.now): AuditLog {
  const entries: Entry[] = [];
  const listeners = new Set<Parameters<AuditLog['follow']>[0]>();
  let closed = false;

  const requireOpen = (): void => {
    if (closed) throw new SkillError('AUDIT_UNAVAILABLE', 'the audit log is closed');
  };
  const records = () => {
    const ofCalls = entries.flatMap(({ sequence, event, payloads }) =>
      isCallEvent(event) ? [{ sequence, event, payloads }] : [],
    );
    return [...Map.groupBy(ofCalls, ({ event }) => event.executionId).values()].map((events) =>
      callRecord(
        events,
        events.flatMap(({ payloads }) => payloads),
      ),
    );
  };
  const requireOrder = (event: AuditEvent): void => {
    if (!isCallEvent(event)) return;
    const opens = ['call.started', 'request.denied', 'auth.rejected'].includes(event.kind);
    const record = records().find(({ executionId }) => executionId === event.executionId);
    if (opens !== (record === undefined) || (record !== undefined && record.outcome !== 'running')) {
      throw new SkillError('INTERNAL', `execution ${event.executionId} must start once and end once`);
    }
  };
  const write = (written: AuditEvent, payload?: RecordedPayload) => {
    requireOrder(written);
    const event = structuredClone(written);
    const sequence = entries.length + 1;
    const previous = entries.at(-1)?.hash ?? genesisHash(sha256, 'memory');
    const hash = eventHash(sha256, previous, eventText(sequence, event));
    entries.push({ sequence, event, hash, payloads: payload === undefined ? [] : [{ ...payload }] });
    for (const listener of listeners) listener({ sequence, event });
    return { sequence, hash: hashText(hash) };
  };

  return {
    async append(event, payload) {
      requireOpen();
      return write(event, payload);
    },
    async interruptOpen(time) {
      requireOpen();
      const running = records().filter(({ outcome }) => outcome === 'running');
      for (const { executionId } of running) write({ kind: 'call.interrupted', executionId, time });
      return running.length;
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async query({ limit, before = Number.POSITIVE_INFINITY, ...filter }) {
      requireOpen();
      const fitting = records()
        .filter((record) => record.sequence < before && recordFits(record, filter))
        .reverse();
      const shown = fitting.slice(0, limit);
      return { records: shown, next: fitting.length > limit ? (shown.at(-1)?.sequence ?? null) : null };
    },
    async count(filter) {
      requireOpen();
      return records().filter((record) => recordFits(record, filter)).length;
    },
    async stats(query) {
      requireOpen();
      return statsOf(records(), query, now());
    },
    async *export(filter) {
      requireOpen();
      yield* records().filter((record) => recordFits(record, filter));
    },
    async events(from, limit) {
      requireOpen();
      return entries
        .filter(({ sequence }) => sequence >= from)
        .slice(0, limit)
        .map(({ sequence, hash, event }) => ({ sequence, hash: hashText(hash), event }));
    },
    async close() {
      closed = true;
    },
  };
}

const sha256: Sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function hashText(hash: Uint8Array): string {
  return `sha256:${Buffer.from(hash).toString('hex')}`;
}
