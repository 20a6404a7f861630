import { userInfo } from 'node:os';
import { executeSkill, executeWithReceipt } from '@ambit/core';
import { closeInheritedDescriptors } from '@ambit/runtime';
import { v7 as uuidv7 } from 'uuid';
import { maskedLog } from '../audit/keep/masked-log.ts';
import { findDaemon, lockDataDir } from '../audit/lock-data-dir.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import type { Runner } from '../cli/actions.ts';
import { CliError } from '../cli/cli-error.ts';
import { daemonClient } from '../cli/daemon-client.ts';
import type { Config } from '../config/config.ts';
import { auditOptions } from './audit-options.ts';
import { auditTrail } from './audit-trail.ts';
import { dataFiles, usableKey } from './data-dir.ts';
import { assemble, policyOf } from './execute-deps.ts';
import { knownSecrets } from './known-secrets.ts';
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
  const opened = await openAuditLog(auditOptions(config, environment));
  held.defer(() => opened.close());
  const secrets = await knownSecrets(config, environment);
  const masked = maskedLog(opened, secrets.cover);
  await masked.interruptOpen(Date.now());
  const { log } = await auditTrail(masked, opened, policyOf(config), Date.now);
  const assembled = assemble(config, await probeMachine(), log, secrets, environment, { lasts: false });
  held.defer(() => assembled.close());
  const actor = userName();
  const open = held.move();
  return {
    execute({ skillId, input, narrowing, receipt }, signal) {
      const request = { executionId: uuidv7(), skillId, door: 'cli' as const, actor, input, narrowing };
      return receipt
        ? executeWithReceipt(assembled.deps, opened.receipt, request, signal)
        : executeSkill(assembled.deps, request, signal);
    },
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

/** The daemon that has the data directory, to run calls in. */
export async function connectDaemon(config: Config): Promise<Runner | undefined> {
  const daemon = await findDaemon(config.dataDir);
  if (!daemon.running) return undefined;
  if (daemon.address === null) {
    throw new CliError(
      'DAEMON_UNREACHABLE',
      'a daemon or another command holds the data directory and does not listen (yet); try again in a moment',
    );
  }
  return daemonClient({ url: daemon.address.url, key: (await usableKey(dataFiles(config).key)).key });
}
