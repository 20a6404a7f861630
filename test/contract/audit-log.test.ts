import { join } from 'node:path';
import { openAuditLog } from '../../packages/server/src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { auditLogContract } from './audit-log.ts';
import { memoryAuditLog } from './memory-audit-log.ts';

auditLogContract('in memory', memoryAuditLog);

auditLogContract('in SQLite', async () => {
  return openAuditLog({ file: join(await temporaryFolder(), 'audit.db') });
});
