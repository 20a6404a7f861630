import { join } from 'node:path';
import { auditLogs } from '../../packages/server/src/audit/testing/audit-indexes.ts';
import { openAuditLog } from '../../packages/server/src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { auditLogContract } from './audit-log.ts';
import { memoryAuditLog } from './memory-audit-log.ts';

auditLogContract('in memory', memoryAuditLog);

for (const { name, options, view } of auditLogs)
  auditLogContract(`with an index in ${name}`, async () => {
    const chosen = await options();
    return view(await openAuditLog({ file: join(await temporaryFolder(), 'audit.db'), ...chosen }));
  });
