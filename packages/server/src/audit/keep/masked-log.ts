import type { AuditEvent, AuditLog, Mask } from '@ambit/core';

/**
 * A log into which no secret goes by any field of an event: a message, a path that was asked for, what a run was denied
 * or reached. Payloads are masked where they are cut, since events hold their digests.
 */
export function maskedLog(log: AuditLog, mask: Mask): AuditLog {
  return { ...log, append: (event, payload) => log.append(maskedEvent(event, mask), payload) };
}

/** The event with every free text in it masked. */
export function maskedEvent(event: AuditEvent, { cover }: Mask): AuditEvent {
  // Nearly always there is nothing to cover, which one look at the whole tells: a mask finds what JSON has escaped.
  const text = JSON.stringify(event);
  if (cover(text) === text) return event;
  return masked(event, cover) as AuditEvent;
}

/**
 * What Ambit itself makes, or chooses from a list of its own: an event would not be found again, or mean something else,
 * if a short secret happened to be part of it. A field that is not named here is masked.
 */
const ownFields: ReadonlySet<string> = new Set([
  ...['kind', 'executionId', 'parentId', 'door', 'code', 'outcome', 'tier', 'capability', 'sandbox', 'what'],
  ...['digest', 'policyDigest', 'hash', 'from', 'to', 'publicKey', 'keyId', 'signature', 'acceptance'],
  ...['before', 'after'],
]);

function masked(value: unknown, cover: Mask['cover']): unknown {
  if (typeof value === 'string') return cover(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => masked(inner, cover));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && ownFields.has(key) ? inner : masked(inner, cover),
    ]),
  );
}
