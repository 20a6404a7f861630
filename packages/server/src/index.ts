export { readAuditLog } from './audit/read-audit-log.ts';
export { sqliteAuditLog } from './audit/sqlite-audit-log.ts';
export { buildApp } from './http/build-app.ts';
