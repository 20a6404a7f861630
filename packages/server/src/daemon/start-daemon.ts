import type { Server } from 'node:http';
import { ownAnnouncement } from '@ambit/client/node';
import type { Workspaces } from '@ambit/core/workspace';
import type { Environment } from '@ambit/runtime';
import { type Logger, pino } from 'pino';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import { type KeyRing, keyRing } from '../auth/key-ring.ts';
import { programActor } from '../auth/reserved-actors.ts';
import type { RunningDaemon } from '../cli/ports/actions.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Config } from '../config/config.ts';
import { type FoundSkills, foundSkills } from '../config/skill-warnings.ts';
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
import { type PreloadedSkills, preloadExecutors, preloadSkills } from '../setup/skill-service.ts';
import { storedWorkspaces, workspacesBy } from '../setup/stored-workspaces.ts';
import { watchCatalog } from '../setup/watch-catalog.ts';
import { sharedRates } from '../store/keys/shared-rates.ts';
import type { Store } from '../store/store.ts';
import { endUnused } from '../threads/start-thread.ts';
import { answerPeers, clusterOf, sharedState } from './daemon-cluster.ts';
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
  const { config, environment } = given;
  const [draining, shutdown] = [new AbortController(), new AbortController()];
  let stopReason = 'start failed';

  const opened = await openData(held, given);
  const { lock, logger, store, observation, machine, executing, preloaded, log } = opened;
  // A copy of a node's data directory is refused here, before it records or sends anything.
  const node = await clusterOf({ ...given, log, logger, observation });
  held.defer(() => node?.close());
  if (node !== undefined) log.shipping?.begin(node.lease);
  // What is recorded until the end is sent under the lease.
  held.defer(() => log.shipping?.end());
  const recording = await startRecording({ ...given, log, observation, logger });
  held.defer(() => recording.stop(stopReason));

  const shared = node && (await sharedState(node, { ...opened, live: () => live }));
  const { cluster, decisions } = shared ?? { cluster: undefined, decisions: opened.decisions };
  const tls = await readTls(config.listen.tls, environment);
  const live = await openConfiguration(
    {
      ...given,
      ...opened,
      reused: { parts: { ...executing, catalog: preloaded.catalog } },
      recording,
      decisions,
      requireLease: cluster?.requireLease,
      installedCalls: installedCalls(),
      async load() {
        const read = await given.load();
        return shared?.policy.over(read) ?? read;
      },
    },
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
    shared: shared?.lock,
  });
  await shared?.start();
  const transports = await daemonTransports({
    ...given,
    ...opened,
    installs,
    live,
    workspaces,
    cluster,
    tls,
    draining: draining.signal,
    shutdown: shutdown.signal,
  });
  // Store the responses of calls without a waiting connection before the log is closed.
  held.defer(() => settledSoon(transports));
  held.defer(() => transports.app.close());
  held.defer(() => transports.closeMcp());
  held.defer(() => shutdown.abort(new Error('the daemon is shutting down')));

  const calls = openCalls(transports.app);
  const skills = await logWarnings(live, { ...opened, environment });
  if (cluster !== undefined)
    held.defer(await answerPeers(cluster, { app: transports.app, calls, shutdown: shutdown.signal }));
  const url = await listen(transports.app, config);
  await lock.announce(await ownAnnouncement(url));
  held.defer(notifySystemd({ environment, answered: () => answered(config, opened), logger }));
  held.defer(releaseStartMemory(() => calls.count() > 0));
  held.defer(watchForChanges({ ...opened, config, live, decisions, installs }));
  if (shared !== undefined) held.defer(shared.watch());
  held.defer(startLater(transports, { live, recording, logger }));

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

/** Opens the data directory with its log, and begins meanwhile with everything that does not wait for the log. */
async function openData(held: OpenResources, given: Start) {
  const { config, version } = given;
  await prepareDataDir(config);
  const lock = held.add(await lockDataDir(config.dataDir), (taken) => taken.release());
  const logger = pino({ level: config.logLevel }, logDestination(2));
  const openedStore = held.add(configuredStore(config, given.environment), (opened) => opened.close());
  // Start its thread meanwhile. Operations report an error again.
  void openedStore.run('probe').catch(() => undefined);
  // Read skills and test sandboxes while a thread opens the log. Nothing runs before the log is ready.
  const decisions = liveDecisions(openedStore);
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

  return {
    lock,
    logger,
    openedStore,
    store,
    decisions,
    skillCache,
    preloaded,
    keys,
    observation,
    machine,
    executing,
    log: await opening,
  };
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

/** Logs problems of the skills and of the configuration. Resolves to the skills. */
async function logWarnings(
  live: LiveConfig,
  {
    preloaded,
    environment,
    logger,
  }: { preloaded: PreloadedSkills; environment: Environment; logger: Logger },
): Promise<FoundSkills> {
  const { service } = live.current();
  const skills = await (service.parts.catalog === preloaded.catalog
    ? preloaded.found
    : foundSkills(service.deps.catalog));
  await logSkillWarnings(live.current().config, skills, logger);
  await logShortSecrets(live.current().config, environment, logger);
  return skills;
}

/** Settles when the log and the store have answered. If a database does not answer, a restart of the daemon does not help. */
function answered(
  { store: { postgres } }: Config,
  { log, openedStore }: { log: OpenAuditLog; openedStore: Store },
): Promise<unknown> {
  const isLocal = postgres === null;
  return Promise.allSettled([log.requireWritable(), ...(isLocal ? [openedStore.run('probe')] : [])]);
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

/** Starts what only makes later requests faster, after the first check: a load balancer waits for that. */
function startLater({ checked }: DaemonTransports, { live, recording, logger }: RunningParts): () => void {
  return startAfter(checked, () => {
    // The store's thread, if the store is in PostgreSQL.
    void endUnused();
    startIndexing(recording, logger);
    live.prewarm();
    return watchSkills(live);
  });
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
