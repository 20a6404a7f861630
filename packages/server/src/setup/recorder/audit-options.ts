import { type Environment, operatorCommand } from '@ambit/runtime';
import type { DataDirLock } from '../../audit/file/lock-data-dir.ts';
import type { AuditLogOptions } from '../../audit/open-audit-log.ts';
import { appendLine } from '../../audit/sign/outside-checkpoints.ts';
import type { Config } from '../../config/config.ts';
import { postgresSettings, type StoreConfig } from '../configured-store.ts';
import { dataFiles } from '../data-dir.ts';

/** Options besides the configuration. */
interface Opening {
  lock: DataDirLock;
  /** False for a single command: then no space is reserved in advance. */
  lasts: boolean;
  onFailure?: (error: unknown) => void;
}

/**
 * The options to open a configuration's log. `onFailure` gets the error if checkpoints cannot be copied, and `undefined` once
 * they can again. By default the error is printed to stderr.
 */
export function auditOptions(
  config: StoreConfig & Pick<Config, 'audit'>,
  environment: Environment,
  { lock, lasts, onFailure = reportFailure }: Opening,
): AuditLogOptions {
  const file = dataFiles(config).audit;
  const { checkpoints, warnFreeBytes, minFreeBytes, reserveBytes } = config.audit;
  const space = { warnFreeBytes, minFreeBytes, reserveBytes: lasts ? reserveBytes : 0 };
  // The index in PostgreSQL is of one log.
  const postgres = config.cluster === null ? postgresSettings(config, environment) : null;
  if (checkpoints === null) return { file, lock, space, postgres };
  const store = async (line: string): Promise<void> => {
    if ('file' in checkpoints) await appendLine(checkpoints.file, line);
    else await operatorCommand(checkpoints.command, environment, line);
  };
  return { file, lock, space, postgres, outside: { store, onFailure } };
}

/** For commands, which have no log. */
function reportFailure(error: unknown): void {
  if (error instanceof Error) process.stderr.write(`ambit: cannot copy checkpoints: ${error.message}\n`);
}
