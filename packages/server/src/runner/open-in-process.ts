import { SkillError } from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import type { ExecuteDeps, ReceiptOf } from '@ambit/core/execute';
import { thrownText } from '@ambit/core/outcome';
import type { Environment } from '@ambit/runtime';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { requireNotRetired } from '../cluster/membership/require-not-retired.ts';
import type { Config } from '../config/config.ts';
import { installer } from '../installs/installer.ts';
import type { SharedLock } from '../installs/installer-deps.ts';
import type { Installs } from '../installs/installs.ts';
import { configuredStore } from '../setup/configured-store.ts';
import { prepareDataDir } from '../setup/data-dir.ts';
import { installedCalls } from '../setup/installed-calls.ts';
import { liveDecisions } from '../setup/live-decisions.ts';
import { type Machine, probeMachine } from '../setup/machine.ts';
import { type OpenResources, openTogether } from '../setup/open-together.ts';
import { auditOptions } from '../setup/recorder/audit-options.ts';
import { openRecords, settledSoon } from '../setup/recorder/open-records.ts';
import { openRecorder } from '../setup/recorder/recorder.ts';
import { openSkillService, policyOf } from '../setup/skill-service.ts';
import { userName } from '../setup/user-name.ts';
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
  return openTogether((held) => openAll(held, config, environment, lasts));
}

async function openAll(
  held: OpenResources,
  config: Config,
  environment: Environment,
  lasts: boolean,
): Promise<InProcess> {
  const { store, log, receipt, records } = await openRecording(held, config, environment, lasts);
  const machine = await probeMachine();
  held.defer(() => machine.process.close?.());
  const decisions = liveDecisions(store);
  if (Object.keys(config.installed).length > 0) await decisions.read();
  const service = openSkillService(config, {
    machine,
    store,
    audit: log,
    environment,
    lasts,
    decisions: decisions.current,
    installedCalls: installedCalls(),
  });
  held.defer(() => service.close());
  if (lasts && config.capacity.prewarm > 0)
    held.defer(watchCatalog(() => service.deps.catalog, service.endOutdated));
  held.defer(() => settledSoon(records));
  return {
    deps: service.deps,
    machine,
    store,
    receipt,
    actor: userName(),
    close: () => held.close(),
  };
}

/**
 * Changes installed skills in this process, with exclusive use of the data directory. Rejects if a daemon uses it or the log
 * is unusable.
 */
export async function openInstaller(
  config: Config,
  environment: Environment,
): Promise<{ installs: Installs; actor: Actor; close(): Promise<void> }> {
  return openTogether(async (held) => {
    const { store, log } = await openRecording(held, config, environment, false);
    // Nothing else runs in this process.
    const apply = async (): Promise<void> => undefined;
    const installs = installer({
      config: () => config,
      store,
      append: log.append,
      apply,
      now: Date.now,
      shared: await sharedLock(config, environment, store),
    });
    return { installs, actor: userName(), close: () => held.close() };
  });
}

/** The lock file of a cluster, if the data directory is one of its nodes. */
async function sharedLock(
  config: Config,
  environment: Environment,
  store: Store,
): Promise<SharedLock | undefined> {
  if (config.cluster === null) return undefined;
  const { nodeFiles } = await import('../cluster/identity/node-files.ts');
  const node = nodeFiles(config.dataDir).read();
  if (node === undefined) return undefined;
  const { clusterLock } = await import('../cluster/catalog/cluster-lock.ts');
  const fault = reportFault(environment);
  const logger = {
    info: (): void => undefined,
    warn: ({ err }: { err?: unknown }, message: string): void =>
      fault(new Error(err === undefined ? message : `${message}: ${thrownText(err)}`)),
  };
  return clusterLock({ store, logger, node: node.id });
}

/** Locks the data directory, and opens the store and the log. */
async function openRecording(held: OpenResources, config: Config, environment: Environment, lasts: boolean) {
  await prepareDataDir(config);
  const lock = await lockDataDir(config.dataDir);
  held.defer(() => lock.release());
  const store = held.add(configuredStore(config, environment), (open) => open.close());
  if (config.store.postgres !== null)
    await requireNotRetired(store, config.dataDir).catch((error: unknown) => {
      // Commands that need the store are refused then, and the rest changes nothing that other nodes share.
      if (!(error instanceof SkillError && error.code === 'STORE_UNAVAILABLE')) throw error;
    });
  const opened = await openAuditLog(auditOptions(config, environment, { lock, lasts }));
  held.defer(() => opened.close());
  await opened.interruptOpen(Date.now());
  const records = openRecords();
  const { log } = await openRecorder(opened, {
    policy: policyOf(config),
    now: Date.now,
    observers: [records],
  });
  return { store, log, receipt: opened.receipt, records };
}
