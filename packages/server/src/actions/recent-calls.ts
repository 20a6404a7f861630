import { existsSync } from 'node:fs';
import type { CallRecord } from '@ambit/core/audit';
import type { Environment } from '@ambit/runtime';
import { readAuditLog } from '../audit/index/read-audit-log.ts';
import { indexFileOf } from '../audit/index/sqlite/index-file.ts';
import { daemonAudit } from '../cli/remote/daemon-audit.ts';
import type { Config } from '../config/config.ts';
import { daemonAccess } from '../runner/daemon-access.ts';
import { auditSource } from '../setup/audit-source.ts';

const callsMax = 30;
/** Short, because the user waits at a prompt. */
const waitMs = 1500;

/**
 * The latest calls, newest first, from a daemon or from the log on disk. Empty without a log, or without the file of its
 * index, because completion must not create one. Rejects like the log.
 */
export async function recentCalls(config: Config, environment: Environment): Promise<readonly CallRecord[]> {
  const access = await daemonAccess(config, environment);
  const { file, postgres: settings = null, node = null } = auditSource(config, environment);
  const asksDaemon = access !== undefined && access !== 'starting';
  const postgres = settings && { ...settings, connectTimeoutMs: waitMs, statementTimeoutMs: waitMs };
  if (!asksDaemon && !existsSync(postgres === null ? indexFileOf(file) : file)) return [];
  const log = asksDaemon
    ? daemonAudit({ ...access, signal: AbortSignal.timeout(waitMs) })
    : await readAuditLog({ file, waitMs, postgres, node });
  try {
    return (await log.query({ limit: callsMax })).records;
  } finally {
    await log.close();
  }
}
