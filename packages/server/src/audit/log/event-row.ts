import { type AuditEvent, type DaemonEvent, isCallEvent, type RecordedPayload } from '@ambit/core/audit';
import { canonicalJson } from '@ambit/core/json';
import { redactableText, redactedEvent } from './redacted-event.ts';

/** An event as it is stored: its text, and what the log needs to check the order. */
export interface EventRow {
  /** `null` for an event of the daemon. */
  executionId: string | null;
  /** Whether it begins a record. */
  opens: boolean;
  /** Whether it ends a record; a request refused before routing does both. */
  closes: boolean;
  /**
   * Whether it is written even if the disk has too little room for a new call: it ends something,
   * or frees space.
   */
  isLast: boolean;
  /** Canonical JSON. */
  body: string;
  payload: RecordedPayload | undefined;
}

interface RowOptions {
  payload?: RecordedPayload | undefined;
  /** Absent: nothing is redacted. */
  redact?: ((text: string) => string) | undefined;
}

/** Serializes an event. */
export function eventRow(event: AuditEvent, { payload, redact }: RowOptions = {}): EventRow {
  const text = { body: redactedBody(event, redact), payload };
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

/** Events that callers can cause any number of times. */
function begins(event: DaemonEvent): boolean {
  switch (event.kind) {
    case 'skill.changed':
    case 'skill.installed':
    case 'install.refused':
    case 'workspace.created':
    case 'console.issued':
      return true;
    case 'workspace.written':
      return event.content !== null;
    default:
      return false;
  }
}

function redactedBody(event: AuditEvent, redact: RowOptions['redact']): string {
  if (redact === undefined) return eventBody(event);
  const text = redactableText(event);
  // Usually there is nothing to redact.
  return redact(text) === text ? eventBody(event) : eventBody(redactedEvent(event, redact));
}

/**
 * An event's canonical text. A lone surrogate, which JSON from callers can contain and UTF-8
 * cannot, becomes U+FFFD: an event that cannot be written would block what it records.
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

/** An event from its stored text. */
export function parseEvent(body: string): AuditEvent {
  return JSON.parse(body) as AuditEvent;
}
