/**
 * The audit log: its events, and the port that an implementation provides.
 */
export type { AuditEvent } from './audit/audit-event.ts';
export type { AuditLog, AuditQuery, AuditReader } from './audit/audit-log.ts';
export { CallRecord, callRecord } from './audit/call-record.ts';
export type { Actor, EntryPoint } from './audit/event-parts.ts';
