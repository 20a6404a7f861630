import { type Environment, operatorCommand } from '@ambit/runtime';
import type { DataDirLock } from '../../audit/file/lock-data-dir.ts';
import type { AuditLogOptions } from '../../audit/open-audit-log.ts';
import { appendLine } from '../../audit/sign/outside-checkpoints.ts';
import { nodeFiles } from '../../cluster/identity/node-files.ts';
import type { Config } from '../../config/config.ts';
import type { StoreConfig } from '../../store/postgres/configured-postgres.ts';
import { auditSource } from '../audit-source.ts';

/** Options besides the configuration. */
interface Opening {
  lock: DataDirLock;
  /** False for a single command: then no space is reserved in advance. */
  lasts: boolean;
  /** Whether a node of a cluster sends its log, which needs its lease. Absent: what is added here, the next daemon sends. */
  ships?: boolean;
  onFailure?: (error: unknown) => void;
}

/**
 * The options to open a configuration's log. `onFailure` gets the error if checkpoints cannot be copied, and `undefined` once
 * they can again. By default the error is printed to stderr.
 */
export function auditOptions(
  config: StoreConfig & Pick<Config, 'audit'>,
  environment: Environment,
  { lock, lasts, ships = false, onFailure = reportFailure }: Opening,
): AuditLogOptions {
  const source = auditSource(config, environment);
  const { checkpoints, warnFreeBytes, minFreeBytes, reserveBytes } = config.audit;
  const space = { warnFreeBytes, minFreeBytes, reserveBytes: lasts ? reserveBytes : 0 };
  const options = { ...source, lock, space, ships: ships ? shippingOf(config) : undefined };
  if (checkpoints === null) return options;
  const store = async (line: string): Promise<void> => {
    if ('file' in checkpoints) await appendLine(checkpoints.file, line);
    else await operatorCommand(checkpoints.command, environment, line);
  };
  return { ...options, outside: { store, onFailure } };
}

/** The time that an answer waits for its record with `cluster.audit: shipped`. The call has run, so it is then sent without. */
const answersWaitMs = 5000;

function shippingOf({ cluster, dataDir }: StoreConfig): AuditLogOptions['ships'] {
  const identity = cluster === null ? undefined : nodeFiles(dataDir).read();
  if (identity === undefined) return undefined;
  return { answersWaitMs: cluster?.audit === 'shipped' ? answersWaitMs : 0, nodeKey: identity.key };
}

/** For commands, which have no log. */
function reportFailure(error: unknown): void {
  if (error instanceof Error) process.stderr.write(`ambit: cannot copy checkpoints: ${error.message}\n`);
}
