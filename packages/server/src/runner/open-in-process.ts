import { userInfo } from 'node:os';
import type { Actor } from '@ambit/core/audit';
import type { ExecuteDeps } from '@ambit/core/execute';
import type { ReceiptOf } from '@ambit/core/internal';
import type { Environment } from '@ambit/runtime';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import type { Config } from '../config/config.ts';
import { prepareDataDir } from '../setup/data-dir.ts';
import { knownSecrets } from '../setup/known-secrets.ts';
import { type Machine, probeMachine } from '../setup/machine.ts';
import { openStore } from '../setup/open-store.ts';
import { type Opened, openedTogether } from '../setup/opened-together.ts';
import { auditOptions } from '../setup/recorder/audit-options.ts';
import { openRecords, settledSoon } from '../setup/recorder/open-records.ts';
import { openRecorder } from '../setup/recorder/recorder.ts';
import { openSkillService, policyOf } from '../setup/skill-service.ts';
import { watchCatalog } from '../setup/watch-catalog.ts';
import type { Store } from '../store/store.ts';
import { reportFault } from './report-fault.ts';

/** Everything that calls need in this process, without a daemon. */
export interface InProcess {
  deps: ExecuteDeps;
  machine: Machine;
  store: Store;
  receipt: ReceiptOf;
  /** The user of this process. */
  actor: Actor;
  /** Releases everything once the ends of canceled calls are recorded. */
  close(): Promise<void>;
}

/**
 * Locks the data directory and opens everything. `lasts` is true for more than a single call. Rejects if a daemon uses the
 * directory or the log is unusable.
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
  const fault = reportFault(environment);
  const store = held.add(
    openStore(config, environment, (path, error) =>
      fault(new Error(`cannot import ${path}: ${String(error)}`)),
    ),
    (open) => open.close(),
  );
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
  const service = openSkillService(config, { machine, store, audit: log, secrets, environment, lasts });
  held.defer(() => service.close());
  if (lasts && config.prewarm > 0) held.defer(watchCatalog(() => service.deps.catalog, service.endOutdated));
  held.defer(() => settledSoon(records));
  return {
    deps: service.deps,
    machine,
    store,
    receipt: opened.receipt,
    actor: userName(),
    close: () => held.close(),
  };
}

/** In containers, users often have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
