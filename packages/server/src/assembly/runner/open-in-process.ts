import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '@ambit/core/audit';
import type { ExecuteDeps } from '@ambit/core/execute';
import type { ReceiptOf } from '@ambit/core/internal';
import type { Environment } from '@ambit/runtime';
import { lockDataDir } from '../../audit/lock-data-dir.ts';
import { openAuditLog } from '../../audit/open-audit-log.ts';
import type { Config } from '../../config/config.ts';
import { auditOptions } from '../audit/audit-options.ts';
import { openRecords } from '../audit/open-records.ts';
import { openRecorder } from '../audit/recorder.ts';
import { prepareDataDir } from '../data-dir.ts';
import { assemble, policyOf } from '../execute-deps.ts';
import { knownSecrets } from '../known-secrets.ts';
import { type Machine, probeMachine } from '../machine.ts';
import { type Opened, openedTogether } from '../opened-together.ts';
import { watchCatalog } from '../watch-catalog.ts';

/** All that a call needs, in this process and without a daemon. */
export interface InProcess {
  deps: ExecuteDeps;
  machine: Machine;
  receipt: ReceiptOf;
  /** Who runs this process. */
  actor: Actor;
  /** Gives everything back, when the calls that were ended are in the log. */
  close(): Promise<void>;
}

/** How long the end waits for the records of calls that have been canceled. */
const settleMs = 10_000;

/**
 * Takes the data directory and opens all of it. `lasts` for more than a single call. Rejects when a daemon has the
 * directory, or the log cannot be used.
 */
export async function openInProcess(
  config: Config,
  environment: Environment,
  { lasts = false }: { lasts?: boolean } = {},
): Promise<InProcess> {
  return openedTogether((held) => openAll(held, config, environment, lasts));
}

async function openAll(
  held: Opened,
  config: Config,
  environment: Environment,
  lasts: boolean,
): Promise<InProcess> {
  await prepareDataDir(config);
  const lock = await lockDataDir(config.dataDir);
  held.defer(() => lock.release());
  const opened = await openAuditLog(auditOptions(config, environment, { lock, lasts }));
  held.defer(() => opened.close());
  const secrets = await knownSecrets(config, environment);
  await opened.interruptOpen(Date.now());
  const records = openRecords();
  const { log } = await openRecorder(opened, {
    ...{ policy: policyOf(config), redactor: secrets.redactions, now: Date.now },
    observers: [records],
  });
  const machine = await probeMachine();
  held.defer(() => machine.process.close?.());
  const assembled = assemble(config, { machine, audit: log, secrets, environment, lasts });
  held.defer(() => assembled.close());
  if (lasts && config.prewarm > 0)
    held.defer(watchCatalog(() => assembled.deps.catalog, assembled.endOutdated));
  held.defer(() => Promise.race([records.settled(), delay(settleMs, undefined, { ref: false })]));
  return {
    deps: assembled.deps,
    machine,
    receipt: opened.receipt,
    actor: userName(),
    close: () => held.close(),
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
