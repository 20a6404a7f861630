import type { AuditEvent } from '@ambit/core/audit';

/**
 * The event with every free text redacted: messages, requested paths, denials and connections.
 * Payloads are redacted before they are cut, because events have their digests.
 */
export function redactedEvent(event: AuditEvent, redact: (text: string) => string): AuditEvent {
  return redacted(event, redact) as AuditEvent;
}

/**
 * Every text that `redactedEvent` redacts in an event, or in a part of one, a text per line. It is shorter
 * than the event, so searching it shows sooner whether there is anything to redact.
 */
export function redactableText(value: object): string {
  let texts = '';
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string') {
      if (!ownFields.has(key)) texts += `${inner}\n`;
    } else if (typeof inner === 'object' && inner !== null) texts += redactableText(inner);
  }
  return texts;
}

/**
 * Fields that Ambit itself creates, or chooses from fixed values: redacting anything in them would
 * break lookups or change their meaning. All other fields are redacted.
 */
const ownFields: ReadonlySet<string> = new Set([
  ...['kind', 'executionId', 'parentId', 'via', 'code', 'outcome', 'tier', 'capability', 'sandbox', 'what'],
  ...['digest', 'policyDigest', 'hash', 'from', 'to', 'publicKey', 'keyId', 'signature', 'acceptance'],
  ...['before', 'after'],
]);

function redacted(value: unknown, redact: (text: string) => string): unknown {
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
