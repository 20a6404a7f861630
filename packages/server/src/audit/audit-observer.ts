import type { AuditEvent } from '@ambit/core/audit';

/** Follows what is written to the audit log. Neither function throws. */
export interface AuditObserver {
  /** The event is durable. */
  onRecorded(event: AuditEvent): void;
  /** The event could not be written. */
  onFailed(event: AuditEvent): void;
}
