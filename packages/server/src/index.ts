export { readAuditLog } from './audit/index/read-audit-log.ts';
export { backupLog } from './audit/keep/backup-log.ts';
export { type PrunableLog, pruneLog } from './audit/keep/prune-log.ts';
export { openAuditLog } from './audit/open-audit-log.ts';
export { verifyLog } from './audit/verify/verify-log.ts';
export { buildApp } from './http/build-app.ts';
export { apiDocument } from './http/openapi/api-document.ts';
export type { OpenApiDocument } from './http/openapi/document.ts';
export type { ProblemCode } from './http/problem/answers.ts';
