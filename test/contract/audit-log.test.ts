import { join } from 'node:path';
import { auditIndexes, auditLogs } from '../../packages/server/src/audit/testing/audit-indexes.ts';
import { openAuditLog } from '../../packages/server/src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { isWhole } from '../support/whole.ts';
import { auditLogContract } from './audit-log.ts';
import { memoryAuditLog } from './memory-audit-log.ts';

auditLogContract('in memory', () => memoryAuditLog());

// The random histories of audit-log-answers.test.ts hold for a cluster each time.
for (const { name, options, view } of isWhole ? auditLogs : auditIndexes)
  auditLogContract(`with an index in ${name}`, async (atEnd) => {
    const file = join(await temporaryFolder({}, atEnd), 'audit.db');
    return view(await openAuditLog({ file, ...(await options(atEnd)) }));
  });
