import type { Environment } from '@ambit/runtime';
import type { Logger } from 'pino';
import type { DataDirLock } from '../audit/file/lock-data-dir.ts';
import { type OpenAuditLog, openAuditLog } from '../audit/open-audit-log.ts';
import { schedulePruning } from '../audit/retention/schedule-pruning.ts';
import type { Config } from '../config/config.ts';
import { auditOptions } from '../setup/recorder/audit-options.ts';
import { type OpenRecords, openRecords } from '../setup/recorder/open-records.ts';
import { openRecorder, type Recorder } from '../setup/recorder/recorder.ts';
import { policyOf } from '../setup/skill-service.ts';
import type { Observation } from './observe/observe-daemon.ts';
import type { LiveConfig } from './reload/live-config.ts';

export interface LogDeps {
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

/** The recorder of a daemon. */
export interface Recording {
  recorder: Recorder;
  records: OpenRecords;
  /** Records the stop of the daemon. Does not reject. */
  stop(reason: string): Promise<void>;
}

export interface RecordingDeps {
  config: Config;
  version: string;
  log: OpenAuditLog;
  observation: Observation;
  logger: Logger;
}

/** Records the start of a daemon, and closes the records of a killed predecessor. */
export async function startRecording(deps: RecordingDeps): Promise<Recording> {
  const { config, version, log, observation, logger } = deps;
  const records = openRecords();
  const recorder = await openRecorder(log, {
    policy: policyOf(config),
    now: Date.now,
    observers: [...observation.auditObservers, records],
  });
  const interrupted = await recorder.started({ version });
  if (interrupted > 0) logger.warn({ interrupted }, 'closed the calls of a killed daemon as interrupted');
  return {
    recorder,
    records,
    stop: (reason) =>
      recorder
        .stopped(reason)
        .catch((cause: unknown) =>
          logger.error({ err: cause }, 'cannot record the shutdown in the audit log'),
        ),
  };
}

export interface PruningDeps {
  log: OpenAuditLog;
  recording: Recording;
  live: LiveConfig;
  logger: Logger;
}

/** Prunes the log by the rules in force, now and regularly until `ended`. Resolves when no pruning is running. */
export async function pruneRegularly(
  { log, recording, live, logger }: PruningDeps,
  ended: AbortSignal,
): Promise<void> {
  await schedulePruning(
    { ...log, append: recording.recorder.log.append },
    () => live.current().config.audit,
    {
      onPruned: (gone) => logger.info({ gone }, 'pruned the audit log'),
      onFailed: (cause) => logger.error({ err: cause }, 'cannot prune the audit log'),
    },
    ended,
  );
}

/** Starts indexing a long log before the first query. */
export function startIndexing({ recorder }: Recording, logger: Logger): void {
  void recorder.log
    .count({})
    .catch((cause: unknown) => logger.warn({ err: cause }, 'cannot read the audit log'));
}
