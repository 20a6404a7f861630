import type { AuditEvent } from '@ambit/core/audit';
import type { Redactor } from '@ambit/core/internal';

/**
 * The event with every free text in it redacted: messages, requested paths, what a run was denied or reached. Payloads are
 * redacted where they are shortened, because events have their digests.
 */
export function redactedEvent(event: AuditEvent, { redact }: Redactor): AuditEvent {
  // Most events have nothing to redact, and one search of the JSON shows that: a redactor also finds escaped values.
  const text = JSON.stringify(event);
  if (redact(text) === text) return event;
  return redacted(event, redact) as AuditEvent;
}

/**
 * Fields that Ambit generates or takes from a fixed list. They are not redacted: if a short secret happened to be part of
 * one, the event would not be found again or would mean something else. All other fields are redacted.
 */
const ownFields: ReadonlySet<string> = new Set([
  ...['kind', 'executionId', 'parentId', 'via', 'code', 'outcome', 'tier', 'capability', 'sandbox', 'what'],
  ...['digest', 'policyDigest', 'hash', 'from', 'to', 'publicKey', 'keyId', 'signature', 'acceptance'],
  ...['before', 'after'],
]);

function redacted(value: unknown, redact: Redactor['redact']): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => redacted(inner, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && ownFields.has(key) ? inner : redacted(inner, redact),
    ]),
  );
}
