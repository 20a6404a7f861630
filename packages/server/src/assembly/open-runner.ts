import { userInfo } from 'node:os';
import { executeSkill } from '@ambit/core';
import { closeInheritedDescriptors } from '@ambit/runtime';
import { v7 as uuidv7 } from 'uuid';
import { findDaemon, lockDataDir } from '../audit/lock-data-dir.ts';
import { type AuditReader, readAuditLog } from '../audit/read-audit-log.ts';
import { sqliteAuditLog } from '../audit/sqlite-audit-log.ts';
import type { Runner } from '../cli/actions.ts';
import { CliError } from '../cli/cli-error.ts';
import { daemonClient } from '../cli/daemon-client.ts';
import type { Config } from '../config/config.ts';
import { dataFiles, usableKey } from './data-dir.ts';
import { assemble } from './execute-deps.ts';
import { probeMachine } from './machine.ts';

/**
 * What runs calls in this process, with the data directory to itself. Rejects when a daemon has it, or the log cannot
 * be used.
 */
export async function openRunner(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Runner> {
  // What the command was to read has been read by now.
  closeInheritedDescriptors();
  await using held = new AsyncDisposableStack();
  const lock = await lockDataDir(config.dataDir);
  held.defer(() => lock.release());
  const audit = sqliteAuditLog({ file: dataFiles(config).audit });
  held.defer(() => audit.close());
  await audit.interruptOpen(Date.now());
  const assembled = assemble(config, await probeMachine(), audit, environment, { lasts: false });
  held.defer(() => assembled.close());
  const actor = userName();
  const open = held.move();
  return {
    execute: ({ skillId, input, narrowing }, signal) =>
      executeSkill(
        assembled.deps,
        { executionId: uuidv7(), skillId, door: 'cli', actor, input, narrowing },
        signal,
      ),
    close: () => open.disposeAsync(),
  };
}

/** A user of a container has often no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The daemon that has the data directory, to run calls in; its log is read from the disk. */
export async function connectDaemon(config: Config): Promise<(Runner & AuditReader) | undefined> {
  const daemon = await findDaemon(config.dataDir);
  if (!daemon.running) return undefined;
  if (daemon.address === null) {
    throw new CliError(
      'DAEMON_UNREACHABLE',
      'a daemon or another command holds the data directory and does not listen (yet); try again in a moment',
    );
  }
  const files = dataFiles(config);
  const client = daemonClient({ url: daemon.address.url, key: (await usableKey(files.key)).key });
  const log = readAuditLog({ file: files.audit });
  return {
    execute: client.execute,
    query: log.query,
    async close() {
      await log.close();
      await client.close();
    },
  };
}
