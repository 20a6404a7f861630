import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { ownAnnouncement } from '@ambit/client/node';
import type { Workspaces } from '@ambit/core/workspace';
import type { Environment } from '@ambit/runtime';
import { type Logger, pino } from 'pino';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import { type KeyRing, keyRing } from '../auth/key-ring.ts';
import { programActor } from '../auth/reserved-actors.ts';
import type { RunningDaemon } from '../cli/ports/actions.ts';
import type { ClusterLock, ClusterLockOptions } from '../cluster/catalog/cluster-lock.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { ClusterPolicy, ClusterPolicyOptions } from '../cluster/policy/cluster-policy.ts';
import type { Config } from '../config/config.ts';
import { foundSkills } from '../config/skill-warnings.ts';
import { isConsoleActor } from '../console/console-sessions.ts';
import { canEnd, hasUnrecordedEnd } from '../installs/decisions.ts';
import { installer, type LocalInstalls } from '../installs/installer.ts';
import { configuredStore } from '../setup/configured-store.ts';
import { dataFiles, prepareDataDir, usableKey, withKeyErrors } from '../setup/data-dir.ts';
import { installedCalls } from '../setup/installed-calls.ts';
import { openKeySource } from '../setup/key-store.ts';
import { type LiveDecisions, liveDecisions } from '../setup/live-decisions.ts';
import { probeMachine, sandboxStates } from '../setup/machine.ts';
import { type OpenResources, openTogether } from '../setup/open-together.ts';
import { settledSoon } from '../setup/recorder/open-records.ts';
import { skillCacheOf } from '../setup/skill-cache.ts';
import { preloadExecutors, preloadSkills } from '../setup/skill-service.ts';
import { storedWorkspaces, workspacesBy } from '../setup/stored-workspaces.ts';
import { watchCatalog } from '../setup/watch-catalog.ts';
import { sharedRates } from '../store/keys/shared-rates.ts';
import type { Store } from '../store/store.ts';
import { endUnused } from '../threads/start-thread.ts';
import { type DaemonTransports, daemonTransports } from './daemon-transports.ts';
import { drain, type OpenCalls, openCalls } from './drain.ts';
import { listen } from './listen.ts';
import { notifySystemd } from './notify-systemd.ts';
import { logDestination } from './observe/log-destination.ts';
import { logShortSecrets } from './observe/log-short-secrets.ts';
import { logSkillWarnings } from './observe/log-skill-warnings.ts';
import { type Observation, observeDaemon } from './observe/observe-daemon.ts';
import { openLog, pruneRegularly, type Recording, startIndexing, startRecording } from './recording.ts';
import { releaseStartMemory } from './release-start-memory.ts';
import { type LiveConfig, type LiveConfigOptions, liveConfig } from './reload/live-config.ts';
import { readTls, renewTls } from './tls.ts';
import { watchConfig } from './watch-config.ts';

/**
 * Starts the daemon: locks the data directory, closes the records of a killed predecessor, and listens. Resolves when it
 * accepts calls. `reading.load` reloads the configuration. If the directory is in use, the log or the key is unusable, or the
 * address is unavailable, it releases everything and rejects. So it does, with the reason of `stopped`, if that ends a start that
 * waits for the lease of a node.
 */
export async function startDaemon(
  config: Config,
  environment: Environment,
  version: string,
  reading: Pick<Start, 'load' | 'valuesOf' | 'stopped'>,
): Promise<RunningDaemon> {
  return openTogether((held) => start(held, { config, environment, version, ...reading }));
}

/** The arguments of `startDaemon`. */
interface Start {
  config: Config;
  environment: Environment;
  version: string;
  load(): Promise<Config>;
  /** The values of a loaded configuration, with their origins. */
  valuesOf: LiveConfigOptions['valuesOf'];
  /** Aborted when the daemon is to stop, also while it starts. */
  stopped?: AbortSignal | undefined;
}

/** Opens everything in this order. A stop, or a start that fails half way, closes it in reverse order. */
async function start(held: OpenResources, given: Start): Promise<RunningDaemon> {
  const { config, version } = given;
  const [draining, shutdown] = [new AbortController(), new AbortController()];
  let stopReason = 'start failed';

  await prepareDataDir(config);
  const lock = held.add(await lockDataDir(config.dataDir), (taken) => taken.release());
  const logger = pino({ level: config.logLevel }, logDestination(2));
  const openedStore = held.add(configuredStore(config, given.environment), (opened) => opened.close());
  // Start its thread meanwhile. Operations report an error again.
  void openedStore.run('probe').catch(() => undefined);
  // Read skills and test sandboxes while a thread opens the log. Nothing runs before the log is ready.
  let shared: ClusterLock | undefined;
  const decisions = liveDecisions(openedStore, async () => shared?.isComplete() ?? true);
  // Without installed skills, the start does not wait for the store.
  if (Object.keys(config.installed).length > 0) await decisions.read();
  const { key: firstKey } = await usableKey(config);
  const skillCache = skillCacheOf(config, firstKey, version);
  const preloaded = held.add(preloadSkills(config, decisions.current(), skillCache), (skills) =>
    skills.close(),
  );
  const probing = held.add(probeMachine({ lasts: true }), async (probed) => (await probed).process.close?.());
  const opening = held.add(openLog({ ...given, lock, logger }), async (opened) =>
    (await opened.catch(() => undefined))?.close(),
  );
  // Its error is reported below. Until then it must not end the process.
  opening.catch(() => undefined);
  const keys = await openKeys(held, { config, store: openedStore, firstKey, logger });
  const observation = held.add(await observeDaemon({ ...given, logger }), (begun) => begun.close());
  const store = observation.measuredStore(openedStore);
  const machine = await probing;
  const executing = preloadExecutors(config, { ...given, machine, store, lasts: true });
  held.defer(() => executing.executors.part.close());

  const log = await opening;
  // A copy of a node's data directory is refused here, before it records or sends anything.
  const node = await clusterOf({ ...given, log, logger, observation });
  held.defer(() => node?.close());
  if (node !== undefined) log.shipping?.begin(node.lease);
  // Records that are written until the end are sent under the lease.
  held.defer(() => log.shipping?.end());
  const recording = await startRecording({ ...given, log, observation, logger });
  held.defer(() => recording.stop(stopReason));

  shared = await clusterLockOf(node, {
    store,
    logger,
    config: () => live.current().config,
    apply: () => live.refreshInstalled(),
  });
  const policy = await clusterPolicyOf(node, {
    store,
    logger,
    config: () => live.current().config,
    change: (next) => live.change(next),
  });
  const requireLease = (isNew?: boolean): void => {
    node?.requireLease(isNew);
    shared?.requireFresh();
    policy?.requireApplied();
  };
  const cluster = node && { ...node, requireLease, requirePolicy: () => policy?.requireApplied() };
  const tls = await readTls(config.listen.tls, given.environment);
  const reused = { parts: { ...executing, catalog: preloaded.catalog } };
  const parts = {
    reused,
    machine,
    store,
    observation,
    recording,
    logger,
    decisions,
    skillCache,
    requireLease: cluster?.requireLease,
  };
  const load = async (): Promise<Config> => {
    const read = await given.load();
    return policy?.over(read) ?? read;
  };
  const live = await openConfiguration(
    { ...given, ...parts, load, installedCalls: installedCalls() },
    () => transports.app.server,
  );
  held.defer(() => live.close());
  held.defer(() => settledSoon(recording.records));
  const workspaces = openWorkspaces({ live, store, recording, logger, cluster }, shutdown.signal);
  observation.read(() => live.current().service, { log, workspaces, store });
  const pruning = pruneRegularly({ log, recording, live, logger }, shutdown.signal);
  held.defer(() => pruning);

  const installs = installer({
    config: () => live.current().config,
    store,
    append: recording.recorder.log.append,
    apply: live.refreshInstalled,
    now: Date.now,
    shared,
  });
  await shared?.start();
  await policy?.start();
  const transports = await daemonTransports({
    installs,
    config,
    live,
    keys,
    log,
    store,
    workspaces,
    cluster,
    machine,
    observation,
    tls,
    logger,
    version,
    draining: draining.signal,
    shutdown: shutdown.signal,
  });
  // Store the responses of calls without a waiting connection before the log is closed.
  held.defer(() => settledSoon(transports));
  held.defer(() => transports.app.close());
  held.defer(() => transports.closeMcp());
  held.defer(() => shutdown.abort(new Error('the daemon is shutting down')));

  const calls = openCalls(transports.app);
  const { service } = live.current();
  const skills = await (service.parts.catalog === preloaded.catalog
    ? preloaded.found
    : foundSkills(service.deps.catalog));
  await logSkillWarnings(live.current().config, skills, logger);
  await logShortSecrets(live.current().config, given.environment, logger);
  if (cluster !== undefined) {
    const peers = await cluster.listen((request, response) => transports.app.routing(request, response));
    held.defer(peers.stop);
    const end = async (): Promise<void> => {
      // The calls that end with the lease are still answered. Streams of events would continue.
      await drain({ settled: calls.settled, maxMs: endAnswersMs, cancelNow: shutdown.signal });
      transports.app.server.closeAllConnections();
    };
    cluster.ended.addEventListener('abort', () => void end(), { once: true });
  }
  const url = await listen(transports.app, config);
  await lock.announce(await ownAnnouncement(url));
  // If a database does not answer, a restart of the daemon does not help.
  const isLocal = config.store.postgres === null;
  const answered = (): Promise<unknown> =>
    Promise.allSettled([log.requireWritable(), ...(isLocal ? [openedStore.run('probe')] : [])]);
  held.defer(notifySystemd({ environment: given.environment, answered, logger }));
  held.defer(releaseStartMemory(() => calls.count() > 0));
  held.defer(watchForChanges({ config, live, keys, decisions, installs, logger }));
  if (shared !== undefined) held.defer(shared.watch());
  if (policy !== undefined) held.defer(policy.watch());
  // Only make later requests faster. A load balancer waits for the first check.
  held.defer(
    startAfter(transports.checked, () => {
      // The store's thread, if the store is in PostgreSQL.
      void endUnused();
      startIndexing(recording, logger);
      live.prewarm();
      return watchSkills(live);
    }),
  );

  const files = dataFiles(config);
  return {
    url,
    ...skills,
    sandboxes: sandboxStates(machine),
    keyFile: files.key,
    auditFile: files.audit,
    reload: live.reload,
    async close(cancelNow) {
      stopReason = 'stopped by a signal';
      draining.abort();
      await drainCalls({ calls, recording, transports, live, logger }, cancelNow);
      await held.close();
    },
  };
}

/** The time in which a node that was retired answers the calls that it has canceled. */
const endAnswersMs = 1000;

/** The daemon as a node; `undefined` if it is in no cluster. Only nodes load the code for it. */
async function clusterOf({
  observation,
  log,
  ...options
}: Start & { log: OpenAuditLog; logger: Logger; observation: Observation }): Promise<Cluster | undefined> {
  const { cluster, dataDir } = options.config;
  if (cluster === null && !existsSync(join(dataDir, 'cluster'))) return undefined;
  const { openCluster } = await import('../cluster/open-cluster.ts');
  const { onRenewal, measured } = observation.cluster();
  const opened = await openCluster({
    ...options,
    onRenewal,
    logDifference: (stored) => log.shipping?.differenceFrom(stored)?.text,
  });
  return opened && measured(opened);
}

/** The lock file of the cluster at a node. */
async function clusterLockOf(
  node: Cluster | undefined,
  options: Omit<ClusterLockOptions, 'node'>,
): Promise<ClusterLock | undefined> {
  if (node === undefined) return undefined;
  const { clusterLock } = await import('../cluster/catalog/cluster-lock.ts');
  return clusterLock({ ...options, node: node.identity.id });
}

/** The policy of the cluster at a node. */
async function clusterPolicyOf(
  node: Cluster | undefined,
  options: Omit<ClusterPolicyOptions, 'identity'>,
): Promise<ClusterPolicy | undefined> {
  if (node === undefined) return undefined;
  const { clusterPolicy } = await import('../cluster/policy/cluster-policy.ts');
  return clusterPolicy({ ...options, identity: node.identity });
}

async function openKeys(
  held: OpenResources,
  { config, store, firstKey, logger }: { config: Config; store: Store; firstKey: string; logger: Logger },
): Promise<KeyRing> {
  return withKeyErrors(async () => {
    const source = held.add(await openKeySource(config, store), (opened) => opened.close());
    return keyRing({
      firstKey,
      source,
      now: Date.now,
      onUnusable: (err) => logger.error({ err }, 'cannot read the keys; the previous ones remain valid'),
      sharedRates: config.cluster === null ? undefined : sharedRates(store),
    });
  });
}

interface ConfigurationParts
  extends Start,
    Pick<
      LiveConfigOptions,
      | 'reused'
      | 'machine'
      | 'store'
      | 'logger'
      | 'decisions'
      | 'installedCalls'
      | 'skillCache'
      | 'requireLease'
    > {
  observation: Observation;
  recording: Recording;
}

/** The configuration in force. A reload also renews the log level and the certificate of `server`. */
async function openConfiguration(
  { observation, recording: { recorder }, ...parts }: ConfigurationParts,
  server: () => Server,
): Promise<LiveConfig> {
  const { environment, logger } = parts;
  return liveConfig({
    ...parts,
    recorder,
    audit: recorder.log,
    tracing: observation.tracing,
    lasts: true,
    async prepare(next) {
      const certificate = await readTls(next.listen.tls, environment);
      return () => {
        logger.level = next.logLevel;
        if (certificate !== undefined) renewTls(server(), certificate);
      };
    },
  });
}

/** The parts of a running daemon. */
interface RunningParts {
  live: LiveConfig;
  recording: Recording;
  logger: Logger;
}

function openWorkspaces(
  { live, store, recording, logger, cluster }: RunningParts & { store: Store; cluster: Cluster | undefined },
  ended: AbortSignal,
): Workspaces {
  const stored = storedWorkspaces({
    store,
    settings: () => live.current().config.workspaces,
    audit: recording.recorder.log,
    logger,
    ended,
    holder: cluster?.holders.own,
    now: cluster?.now,
  });
  // A session of the console is a person with the first key. Workspaces of the session itself would be lost with it.
  return workspacesBy(stored, (actor) => (isConsoleActor(actor) ? programActor.firstKey : actor));
}

/** Calls `start` once `first` is settled. Returns a function that stops what it started, or prevents it. */
function startAfter(first: Promise<unknown>, start: () => () => void): () => void {
  let isStopped = false;
  let stop: (() => void) | undefined;
  const startUnlessStopped = (): void => {
    if (!isStopped) stop = start();
  };
  first.then(startUnlessStopped, startUnlessStopped);
  return () => {
    isStopped = true;
    stop?.();
  };
}

/** Watches the skills if programs are prewarmed. Returns a function that stops watching. */
function watchSkills(live: LiveConfig): () => void {
  return watchCatalog(() => {
    const { config, service } = live.current();
    return config.capacity.prewarm > 0 ? service.deps.catalog : undefined;
  }, live.reviewPrewarmed);
}

/** The parts that are watched while a daemon runs. */
interface WatchedParts {
  config: Config;
  live: LiveConfig;
  keys: KeyRing;
  decisions: LiveDecisions;
  installs: Pick<LocalInstalls, 'recordExpired'>;
  logger: Logger;
}

/** Watches the configuration, the keys and the decisions. Returns a function that stops watching. */
function watchForChanges(watched: WatchedParts): () => void {
  const { config, live, keys } = watched;
  const watches = [
    watchConfig(config, () => void live.reload()),
    lookRegularly(keys),
    readRegularly(watched),
  ];
  return () => {
    for (const stop of watches.toReversed()) stop();
  };
}

/** Reads changes of the keys without waiting for a request: the running calls of a revoked key must end. */
function lookRegularly(keys: KeyRing): () => void {
  const timer = setInterval(keys.look, 2000).unref();
  return () => clearInterval(timer);
}

/**
 * Reads decisions that others make in the same database: the running calls of a revoked skill must end. A file of SQLite has
 * no other writer, but approvals can end by themselves.
 */
function readRegularly({ config, decisions, live, installs, logger }: WatchedParts): () => void {
  let isRecording = false;
  const look = async (): Promise<void> => {
    const isShared = config.store.postgres !== null;
    if (!isShared && !canEnd(decisions.current())) return;
    if (await decisions.read()) await live.refreshInstalled().catch(() => undefined);
    if (isRecording || !hasUnrecordedEnd(decisions.current())) return;
    isRecording = true;
    await installs
      .recordExpired()
      .catch((err: unknown) => logger.error({ err }, 'cannot record that an approval has ended'));
    isRecording = false;
  };
  const timer = setInterval(() => void look(), 2000).unref();
  return () => clearInterval(timer);
}

/** Waits for the running calls, at most for the configured time. */
async function drainCalls(
  {
    calls,
    recording,
    transports,
    live,
    logger,
  }: RunningParts & { calls: OpenCalls; transports: DaemonTransports },
  cancelNow: AbortSignal,
): Promise<void> {
  const { drainMs } = live.current().config.shutdown;
  logger.info({ requests: calls.count(), drainMs }, 'shutting down: draining');
  const settled = () => Promise.all([calls.settled(), recording.records.settled(), transports.settled()]);
  const ended = await drain({ settled, maxMs: drainMs, cancelNow });
  if (ended !== 'settled') logger.warn({ requests: calls.count() }, 'shutting down: canceling running calls');
}
