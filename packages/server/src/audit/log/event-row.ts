import type { AuditEvent } from '@ambit/core/audit';
import { canonicalJson, type DaemonEvent, isCallEvent, type RecordedPayload } from '@ambit/core/internal';

/** An event as it is written: what the log has to know of it to keep its order, and its text. */
export interface EventRow {
  /** `null` for an event of the daemon's own. */
  executionId: string | null;
  /** Whether a record begins with it. */
  opens: boolean;
  /** Whether a record ends with it; both at once for what was refused before routing. */
  closes: boolean;
  /** Whether it is written even if the disk has too little room for a new call: it ends something, or frees room. */
  isLast: boolean;
  /** Canonical JSON. */
  body: string;
  payload: RecordedPayload | undefined;
}

export function eventRow(event: AuditEvent, payload?: RecordedPayload): EventRow {
  const text = { body: eventBody(event), payload };
  if (!isCallEvent(event))
    return { executionId: null, opens: false, closes: false, isLast: !begins(event), ...text };
  const { executionId, kind } = event;
  switch (kind) {
    case 'call.started':
      return { executionId, opens: true, closes: false, isLast: false, ...text };
    case 'request.denied':
    case 'auth.rejected':
      return { executionId, opens: true, closes: true, isLast: false, ...text };
    case 'call.finished':
    case 'call.denied':
    case 'call.interrupted':
      return { executionId, opens: false, closes: true, isLast: true, ...text };
    default:
      return kind satisfies never;
  }
}

/** What a caller can have written as often as they like. */
function begins(event: DaemonEvent): boolean {
  switch (event.kind) {
    case 'skill.changed':
    case 'workspace.created':
      return true;
    case 'workspace.written':
      return event.content !== null;
    default:
      return false;
  }
}

/**
 * An event's canonical text. Half a character, which callers can send in JSON and which has no UTF-8, becomes U+FFFD: an
 * event that could not be written would stop what it tells of.
 */
function eventBody(event: AuditEvent): string {
  try {
    return canonicalJson(event);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return canonicalJson(JSON.parse(JSON.stringify(event), wellFormed));
  }
}

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), inner]));
}
