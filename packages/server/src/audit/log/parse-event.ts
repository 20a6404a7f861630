import type { AuditEvent } from '@ambit/core/audit';

/** An event from its stored text. Older events name the entry point `door`; they are read with `via`. */
export function parseEvent(body: string): AuditEvent {
  const event = JSON.parse(body) as AuditEvent & { door?: unknown };
  if (!('door' in event)) return event;
  const { door, ...others } = event;
  return { ...others, via: door } as AuditEvent;
}
