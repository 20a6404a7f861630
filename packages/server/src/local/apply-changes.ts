import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { UsageError } from '@ambit/core/outcome';
import { daemonStatus } from '../audit/file/lock-data-dir.ts';
import { type Turn, takeTurn } from '../audit/file/turn.ts';
import type { Config } from '../config/config.ts';
import { type ChangedFile, writeChanges } from '../propose/changed-files.ts';
import { reloadDaemon } from '../running-daemon/reload-daemon.ts';
import type { ReloadResult } from '../running-daemon/reload-report.ts';
import { prepareDataDir } from '../setup/data-dir.ts';
import { trustConfig, whyConfigUntrusted } from '../trust/config-trust.ts';
import { editableFile } from '../trust/scope-text.ts';
import { UntrustedError } from '../trust/untrusted-error.ts';
import { usingTrustStore } from './using-trust-store.ts';

type ChangedConfig = Pick<Config, 'dataDir' | 'dataDirTrust' | 'file' | 'scope' | 'userFile'>;

/** The effects of changed files. */
export interface AppliedChanges {
  /** Whether a configuration that needs trust was trusted, with exactly the bytes that were written. */
  trusted: boolean;
  /** The result of the reload of the daemon; `null`: none runs, or the configuration has not changed. */
  reload: ReloadResult | null;
}

/**
 * Replaces the files, trusts a changed configuration that needs it, and reloads a running daemon. Rejects with `USAGE_INVALID` if
 * a file has changed since it was read, or cannot be written, and with an `UntrustedError` for a configuration that was not
 * trusted before the change: it may have changed after it was loaded. Then nothing is written.
 */
export async function applyChanges(
  config: ChangedConfig,
  changes: readonly ChangedFile[],
): Promise<AppliedChanges> {
  const own = changes.find(({ path }) => path === editableFile(config));
  const isFound = own !== undefined && config.scope.kind === 'project';
  const { dataHome } = config.dataDirTrust;
  if (isFound) await refuseUntrusted(dataHome, own);
  await orUsageError(writeChanges(changes));
  if (own === undefined) return { trusted: false, reload: null };
  if (isFound)
    await usingTrustStore(() => trustConfig(dataHome, own.path, Buffer.from(own.after), Date.now()));
  const { running } = await daemonStatus(config.dataDir);
  return { trusted: isFound, reload: running ? await reloadDaemon(config) : null };
}

async function refuseUntrusted(dataHome: string | undefined, { path, before }: ChangedFile): Promise<void> {
  if (before === undefined) return;
  const reason = await whyConfigUntrusted(dataHome, path, Buffer.from(before));
  if (reason !== undefined)
    throw new UntrustedError('configuration', path, { reason, folder: dirname(path) });
}

const turnMaxMs = 10_000;
const pollMs = 25;

/** Does something while no other command changes the configuration of a data directory. */
export async function inTurn<Result>(config: ChangedConfig, work: () => Promise<Result>): Promise<Result> {
  await prepareDataDir(config);
  const deadline = performance.now() + turnMaxMs;
  let turn: Turn | undefined;
  while (turn === undefined) {
    turn = await takeTurn(config.dataDir, 'config');
    if (turn !== undefined) break;
    if (performance.now() > deadline)
      throw new UsageError(
        `another command is changing the configuration of ${config.dataDir}; run this one again when that has ended`,
      );
    await delay(pollMs);
  }
  try {
    return await work();
  } finally {
    turn.release();
  }
}

/** Reports a file that cannot be read or written as the user's to fix. */
export async function orUsageError<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (cause) {
    throw new UsageError(`cannot change the files: ${(cause as Error).message}`, { cause });
  }
}
