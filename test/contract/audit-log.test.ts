import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openAuditLog } from '../../packages/server/src/index.ts';
import { auditLogContract } from './audit-log.ts';
import { memoryAuditLog } from './memory-audit-log.ts';

auditLogContract('in memory', memoryAuditLog);

auditLogContract('in SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-audit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openAuditLog({ file: join(folder, 'audit.db') });
});
