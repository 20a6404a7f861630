import { type Environment, operatorCommand } from '@ambit/runtime';
import type { DataDirLock } from '../../audit/lock-data-dir.ts';
import type { AuditLogOptions } from '../../audit/open-audit-log.ts';
import { appendLine } from '../../audit/sign/outside-checkpoints.ts';
import type { Config } from '../../config/config.ts';
import { dataFiles } from '../data-dir.ts';

/** How a log is opened, beside what its configuration says. */
interface Opening {
  lock: DataDirLock;
  /** For more than a single command: room is allocated ahead. */
  lasts: boolean;
  onFailure?: (error: unknown) => void;
}

/**
 * What the log of a configuration is opened with. `onFailure` is told when checkpoints cannot be kept outside, and with
 * `undefined` when they can again; absent: standard error is.
 */
export function auditOptions(
  config: Pick<Config, 'dataDir' | 'audit'>,
  environment: Environment,
  { lock, lasts, onFailure = reportFailure }: Opening,
): AuditLogOptions {
  const file = dataFiles(config).audit;
  const { checkpoints, warnFreeBytes, minFreeBytes, reserveBytes } = config.audit;
  const space = { warnFreeBytes, minFreeBytes, reserveBytes: lasts ? reserveBytes : 0 };
  if (checkpoints === null) return { file, lock, space };
  const keep = async (line: string): Promise<void> => {
    if ('file' in checkpoints) await appendLine(checkpoints.file, line);
    else await operatorCommand(checkpoints.command, environment, line);
  };
  return { file, lock, space, outside: { keep, onFailure } };
}

/** A command has no log of its own. */
function reportFailure(error: unknown): void {
  if (error instanceof Error)
    process.stderr.write(`ambit: checkpoints are not kept outside: ${error.message}\n`);
}
