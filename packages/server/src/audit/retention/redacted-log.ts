import type { AuditEvent, AuditLog, Redactor } from '@ambit/core';

/**
 * A log into which no secret goes by any field of an event: a message, a path that was asked for, what a run was denied
 * or reached. Payloads are redacted where they are cut, since events hold their digests.
 */
export function redactedLog(log: AuditLog, redactor: Redactor): AuditLog {
  return { ...log, append: (event, payload) => log.append(redactedEvent(event, redactor), payload) };
}

/** The event with every free text in it redacted. */
export function redactedEvent(event: AuditEvent, { redact }: Redactor): AuditEvent {
  // Nearly always there is nothing to cover, which one look at the whole tells: a redactor finds what JSON has escaped.
  const text = JSON.stringify(event);
  if (redact(text) === text) return event;
  return redacted(event, redact) as AuditEvent;
}

/**
 * What Ambit itself makes, or chooses from a list of its own: an event would not be found again, or mean something else,
 * if a short secret happened to be part of it. A field that is not named here is redacted.
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
