/**
 * The audit log: its events, and the port that an implementation provides.
 */
export type { AuditEvent } from './audit/audit-event.ts';
export type { AuditLog, AuditQuery, AuditReader } from './audit/audit-log.ts';
export { callRecord } from './audit/call-record.ts';
export { CallRecord } from './audit/call-record-schema.ts';
export type { Actor, EntryPoint } from './audit/event-parts.ts';
export type { PayloadRecording } from './audit/recorded-payload.ts';
