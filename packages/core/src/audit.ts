/**
 * The audit log: its events, and the port that an implementation provides.
 */
export type { Actor, AuditEvent, EntryPoint } from './audit/audit-event.ts';
export type { AuditLog, AuditQuery, AuditReader } from './audit/audit-log.ts';
export { CallRecord } from './audit/call-record.ts';
export { callRecord } from './audit/record-of-events.ts';
