import type { Environment } from '@ambit/runtime';
import type { Logger } from 'pino';
import type { DataDirLock } from '../audit/file/lock-data-dir.ts';
import { type OpenAuditLog, openAuditLog } from '../audit/open-audit-log.ts';
import type { Config } from '../config/config.ts';
import { auditOptions } from '../setup/recorder/audit-options.ts';

interface LogDeps {
  config: Config;
  environment: Environment;
  lock: DataDirLock;
  logger: Logger;
}

/** Opens the audit log of a daemon. Problems with copies of checkpoints are logged. */
export async function openLog({ config, environment, lock, logger }: LogDeps): Promise<OpenAuditLog> {
  const options = auditOptions(config, environment, {
    lock,
    lasts: true,
    ships: true,
    onFailure(err) {
      if (err === undefined) logger.info('copying checkpoints again');
      else logger.error({ err }, 'cannot copy checkpoints; retrying, and calls continue');
    },
  });
  return openAuditLog({ ...options, onNote: (note) => logger.warn(note) });
}
