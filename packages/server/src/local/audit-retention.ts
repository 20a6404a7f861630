import { SkillError } from '@ambit/core';
import type { LogPruned } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import { backupLog } from '../audit/log/backup-log.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { previewPruning } from '../audit/retention/plan-pruning.ts';
import { pruneLog } from '../audit/retention/prune-log.ts';
import type { Config } from '../config/config.ts';
import { lockOrTakeOver } from '../on-demand/take-over.ts';
import { dataFiles, prepareDataDir } from '../setup/data-dir.ts';
import { auditOptions } from '../setup/recorder/audit-options.ts';

/** A part of the log that retention removed. */
export type PrunedPart = Pick<LogPruned, 'what' | 'through' | 'hash' | 'count'>;

/** A copy of the log. `sequence` and `hash` belong to its last event: 0 and `null` if it is empty. */
export interface LogBackup {
  file: string;
  bytes: number;
  sequence: number;
  hash: string | null;
}

/** Removes the parts of the log beyond its retention, with exclusive use of the data directory; or reports what it would remove. */
export async function pruneAudit(
  config: Config,
  { dryRun }: { dryRun: boolean },
  environment: Environment,
): Promise<readonly PrunedPart[]> {
  const { audit: rules, dataDir } = config;
  if (rules.retentionDays === null && rules.retentionBytes === null) {
    throw new UsageError(
      'nothing to prune: the configuration sets no retention. Set audit.retentionDays or audit.retentionBytes',
    );
  }
  const file = dataFiles(config).audit;
  if (dryRun) {
    const plan = previewPruning(file, rules, Date.now());
    return plan === undefined ? [] : [plan];
  }
  const daemon = await daemonStatus(dataDir);
  if (daemon.running && daemon.process?.onDemand !== true) {
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `cannot prune while a daemon uses ${dataDir}: it prunes the log at its start and every hour. To see what it will remove, add --dry-run`,
    );
  }
  await prepareDataDir(config);
  const lock = await lockOrTakeOver(dataDir);
  try {
    const log = await openAuditLog(auditOptions(config, environment, { lock, lasts: false }));
    try {
      return await pruneLog(log, rules, Date.now);
    } finally {
      await log.close();
    }
  } finally {
    await lock.release();
  }
}

/** Copies the log of a configuration, with or without a running daemon. */
export function backupAudit(config: Config, to: string): Promise<LogBackup> {
  return backupLog({ file: dataFiles(config).audit, to });
}
