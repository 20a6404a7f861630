import { join } from 'node:path';
import { temporaryFolder } from '../../packages/server/src/audit/testing/audit-files.ts';
import { auditLogs } from '../../packages/server/src/audit/testing/audit-indexes.ts';
import { openAuditLog } from '../../packages/server/src/index.ts';
import { auditLogContract } from './audit-log.ts';
import { memoryAuditLog } from './memory-audit-log.ts';

auditLogContract('in memory', () => memoryAuditLog());

for (const { name, options, view } of auditLogs)
  auditLogContract(`with an index in ${name}`, async (atEnd) => {
    const file = join(temporaryFolder(atEnd), 'audit.db');
    return view(await openAuditLog({ file, ...(await options(atEnd)) }));
  });
