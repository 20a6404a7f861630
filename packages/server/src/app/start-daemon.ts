import { rm } from 'node:fs/promises';
import { type AnnouncedDaemon, ownAnnouncement } from '@ambit/client/node';
import type { BrokenSkill, Skill } from '@ambit/core';
import type { Environment } from '@ambit/runtime';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { whyLost } from '../audit/file/held-lock.ts';
import { lockDataDir } from '../audit/file/lock-data-dir.ts';
import { schedulePruning } from '../audit/retention/schedule-pruning.ts';
import { keyRing } from '../auth/key-ring.ts';
import { localCaller } from '../auth/local-caller.ts';
import { programActor } from '../auth/reserved-actors.ts';
import type { Config } from '../config/config.ts';
import { configDigest } from '../config/config-digest.ts';
import { foundSkills } from '../config/skill-warnings.ts';
import { consoleSessions, isConsoleActor } from '../console/console-sessions.ts';
import { Refusal } from '../errors/refusal.ts';
import { backlog } from '../http/connections/server-options.ts';
import { consoleListener } from '../http/console-listener.ts';
import { consoleUrl } from '../http/route/request-state.ts';
import { canEnd, hasUnrecordedEnd } from '../installs/decisions.ts';
import { installer, type LocalInstalls } from '../installs/installer.ts';
import { listenPrivately, openSocketPlace, type SocketPlace } from '../local-socket/listen-privately.ts';
import { endWhenIdle } from '../on-demand/end-when-idle.ts';
import { lockOrTakeOver } from '../on-demand/take-over.ts';
import type { ReloadResult } from '../running-daemon/reload-report.ts';
import { configuredStore } from '../setup/configured-store.ts';
import { dataFiles, prepareDataDir, usableKey, withKeyErrors } from '../setup/data-dir.ts';
import { installedCalls } from '../setup/installed-calls.ts';
import { openKeySource } from '../setup/key-store.ts';
import { type LiveDecisions, liveDecisions } from '../setup/live-decisions.ts';
import { probeMachine, type SandboxState, sandboxStates } from '../setup/machine.ts';
import { openRecords, settledSoon } from '../setup/recorder/open-records.ts';
import { openRecorder } from '../setup/recorder/recorder.ts';
import { skillCacheOf } from '../setup/skill-cache.ts';
import { policyOf, preloadExecutors, preloadSkills } from '../setup/skill-service.ts';
import { storedWorkspaces, workspacesBy } from '../setup/stored-workspaces.ts';
import { userName } from '../setup/user-name.ts';
import { watchCatalog } from '../setup/watch-catalog.ts';
import { sharedRates } from '../store/keys/shared-rates.ts';
import { endUnused } from '../threads/start-thread.ts';
import { editableFile } from '../trust/scope-text.ts';
import { answerPeers, clusterOf, sharedState } from './daemon-cluster.ts';
import { daemonTransports } from './daemon-transports.ts';
import { drain, openCalls } from './drain.ts';
import { listen } from './listen.ts';
import { notifySystemd } from './notify-systemd.ts';
import { logDestination } from './observe/log-destination.ts';
import { logShortSecrets } from './observe/log-short-secrets.ts';
import { logSkillWarnings } from './observe/log-skill-warnings.ts';
import { observeDaemon } from './observe/observe-daemon.ts';
import { openLog } from './open-log.ts';
import { parts } from './parts.ts';
import { releaseStartMemory } from './release-start-memory.ts';
import { type LiveConfig, type LiveConfigOptions, liveConfig } from './reload/live-config.ts';
import { readTls, renewTls } from './tls.ts';
import { watchConfig } from './watch-config.ts';

/** The source of later configurations, and the signal that ends a start. */
export interface Reading {
  load(): Promise<Config>;
  /** The values of a loaded configuration, with their origins. */
  valuesOf: LiveConfigOptions['valuesOf'];
  /** Aborted when the daemon is to stop, also while it starts. */
  stopped?: AbortSignal | undefined;
}

/** The values that the parts of a daemon start with. */
interface Start extends Reading {
  config: Config;
  environment: Environment;
  version: string;
  /** Whether it listens only at its private socket, and ends by itself. */
  onDemand: boolean;
}

/** A listening daemon, with the facts for its banner. */
export interface RunningDaemon {
  /** With the actual port, such as `http://127.0.0.1:7433`. */
  url: string;
  skills: readonly Skill[];
  broken: readonly BrokenSkill[];
  sandboxes: { process: SandboxState; wasm: SandboxState };
  /** An absolute path. */
  keyFile: string;
  /** An absolute path. */
  auditFile: string;
  /** Reloads the configuration. */
  reload(): Promise<ReloadResult>;
  /**
   * Accepts no new calls, waits for running calls up to the configured time or until `cancelNow`, cancels the rest, and
   * resolves when their records are closed.
   */
  close(cancelNow: AbortSignal): Promise<void>;
}

/**
 * Starts the daemon: locks the data directory, closes the records of a killed predecessor, and listens. Resolves when it
 * accepts calls. `reading.load` reloads the configuration. If a daemon on demand uses the directory, it waits until that has
 * ended. If another daemon uses it, the log or the key is unusable, or the address is unavailable, it releases everything and
 * rejects. So it does, with the reason of `stopped`, if that ends a start that waits.
 */
export async function startDaemon(
  config: Config,
  environment: Environment,
  version: string,
  reading: Reading,
): Promise<RunningDaemon> {
  const daemon = await daemonParts.open({ config, environment, version, onDemand: false, ...reading });
  const { skills, machine, live, url } = daemon.opened;
  if (url === undefined) throw new Error('the daemon has no address');
  const files = dataFiles(config);
  return {
    url,
    ...skills,
    sandboxes: sandboxStates(machine),
    keyFile: files.key,
    auditFile: files.audit,
    reload: live.reload,
    close: closing(daemon),
  };
}

/** A daemon that a command started. */
interface OnDemandDaemon extends Pick<RunningDaemon, 'reload' | 'close'> {
  /** Resolves when nothing has used it for its idle time, or its data directory is not there any more. */
  idle: Promise<void>;
  /** From now on, it is idle as soon as nothing uses it. */
  hurry(): void;
}

/** Starts the daemon in the same way, without an address for other programs and machines. */
export async function startOnDemandDaemon(
  config: Config,
  environment: Environment,
  version: string,
  reading: Reading,
): Promise<OnDemandDaemon> {
  const daemon = await daemonParts.open({ config, environment, version, onDemand: true, ...reading });
  const { consoleListener, idle, live, lock, socketPlace } = daemon.opened;
  const close = closing(daemon);
  return {
    idle: idle.reached,
    hurry: idle.end.hurry,
    reload: live.reload,
    async close(cancelNow) {
      await consoleListener?.end();
      // From here, commands wait for the lock to start another daemon.
      await lock.announce(await ownAnnouncement({ version, onDemand: true })).catch(() => undefined);
      // Without the lock, the socket keeps another daemon from listening in the same place until this one has closed.
      const isAwaited = whyLost(lock.held) === undefined;
      if (socketPlace !== undefined && isAwaited) await rm(socketPlace.path, { force: true });
      await close(cancelNow, { reason: idle.end.isOver() ? 'idle' : undefined, quiet: idle.end.quiet });
    },
  };
}

/**
 * Refuses new calls, waits for the running ones, and closes everything. `reason`: why, if not because of a signal; `quiet`: what to
 * wait for before that.
 */
function closing({ opened, close }: OpenedDaemon) {
  const { calls, draining, live, logger, records, transports } = opened;
  return async (
    cancelNow: AbortSignal,
    { reason = 'stopped by a signal', quiet }: { reason?: string | undefined; quiet?(): Promise<void> } = {},
  ): Promise<void> => {
    draining.abort(reason);
    const { drainMs } = live.current().config.shutdown;
    logger.info({ requests: calls.count(), drainMs }, 'shutting down: draining');
    const settled = () => Promise.all([calls.settled(), records.settled(), transports.settled()]);
    const ended = await drain({ settled, maxMs: drainMs, cancelNow });
    if (ended !== 'settled')
      logger.warn({ requests: calls.count() }, 'shutting down: canceling running calls');
    await quiet?.();
    await close();
  };
}

const lockWatchMs = 1000;

type OpenedDaemon = Awaited<ReturnType<(typeof daemonParts)['open']>>;

/**
 * The parts of the daemon, in the order in which they open. A stop, or a start that fails half way, closes the last one first.
 * To read from top to bottom: the data directory, what opens beside the log, the log, the node of a cluster, the configuration, the
 * transports, and what runs beside the calls.
 */
const daemonParts = parts<Start>()
  // Aborted when new calls are refused. Its reason is recorded.
  .add({ name: 'draining', open: () => new AbortController() })
  // Aborted when running calls end.
  .add({ name: 'shutdown', open: () => new AbortController() })
  .add({
    name: 'logger',
    open: ({ config }): Logger => pino({ level: config.logLevel }, logDestination(2)),
    prepare: async (logger, next) => () => {
      logger.level = next.logLevel;
    },
  })
  .add({
    name: 'lock',
    async open({ config, logger, onDemand, stopped, version }) {
      await prepareDataDir(config);
      if (onDemand) {
        const lock = await lockDataDir(config.dataDir);
        await lock.announce(await ownAnnouncement({ version, onDemand }));
        return lock;
      }
      const onWait = ({ pid }: { pid: number }): void =>
        logger.info({ pid }, 'waiting for the daemon on demand to end after its running calls');
      return lockOrTakeOver(config.dataDir, { onWait, stopped });
    },
    close: (lock) => lock.release(),
  })
  .add({
    name: 'openedStore',
    open({ config, environment }) {
      const store = configuredStore(config, environment);
      // Start its thread meanwhile. Operations report an error again.
      void store.run('probe').catch(() => undefined);
      return store;
    },
    close: (store) => store.close(),
  })
  // From here, skills are read and sandboxes tested while a thread opens the log. Nothing runs before the log is ready.
  .add({
    name: 'storedDecisions',
    async open({ config, openedStore }) {
      const decisions = liveDecisions(openedStore);
      // Without installed skills, the start does not wait for the store.
      if (Object.keys(config.installed).length > 0) await decisions.read();
      return decisions;
    },
  })
  .add({ name: 'firstKey', open: async ({ config }) => (await usableKey(config)).key })
  .add({
    name: 'skillCache',
    open: ({ config, firstKey, version }) => skillCacheOf(config, firstKey, version),
  })
  .add({
    name: 'preloaded',
    open: ({ config, storedDecisions, skillCache }) =>
      preloadSkills(config, storedDecisions.current(), skillCache),
    close: (skills) => skills.close(),
  })
  .add({
    name: 'probing',
    open: () => ({ machine: probeMachine({ lasts: true }) }),
    close: async ({ machine }) => (await machine).process.close?.(),
  })
  .add({
    name: 'opening',
    open(before) {
      const log = openLog(before);
      // The part `log` reports its error. Until then it must not end the process.
      log.catch(() => undefined);
      return { log };
    },
    close: async ({ log }) => (await log.catch(() => undefined))?.close(),
  })
  .add({
    name: 'keySource',
    open: ({ config, openedStore }) => withKeyErrors(() => openKeySource(config, openedStore)),
    close: (source) => source.close(),
  })
  .add({
    name: 'keys',
    open: ({ config, firstKey, keySource, logger, openedStore }) =>
      withKeyErrors(() =>
        keyRing({
          firstKey,
          source: keySource,
          now: Date.now,
          onUnusable: (err) => logger.error({ err }, 'cannot read the keys; the previous ones remain valid'),
          sharedRates: config.cluster === null ? undefined : sharedRates(openedStore),
        }),
      ),
  })
  .add({
    name: 'localCaller',
    open: ({ config, keys }) =>
      // At another node of a cluster, only the first key is the operator too.
      localCaller({ user: config.cluster === null ? userName() : programActor.firstKey, keys }),
  })
  .add({ name: 'observation', open: observeDaemon, close: (observation) => observation.close() })
  .add({ name: 'store', open: ({ observation, openedStore }) => observation.measuredStore(openedStore) })
  .add({ name: 'machine', open: ({ probing }) => probing.machine })
  .add({
    name: 'executing',
    open: ({ config, environment, machine, store }) =>
      preloadExecutors(config, { environment, machine, store }),
    close: ({ executors }) => executors.part.close(),
  })
  .add({ name: 'log', open: ({ opening }) => opening.log })
  // A copy of a node's data directory is refused here, before it records or sends anything.
  .add({ name: 'node', open: clusterOf, close: (node) => node?.close() })
  .add({
    name: 'shipping',
    open({ log, node }) {
      if (node !== undefined) log.shipping?.begin(node.lease);
      return log.shipping;
    },
    // What is recorded until the end is sent under the lease.
    close: (shipping) => shipping?.end(),
  })
  .add({ name: 'records', open: openRecords })
  .add({
    name: 'recorder',
    async open({ config, log, logger, observation, records, version }) {
      const recorder = await openRecorder(log, {
        policy: policyOf(config),
        now: Date.now,
        observers: [...observation.auditObservers, records],
      });
      const interrupted = await recorder.started({ version });
      if (interrupted > 0) logger.warn({ interrupted }, 'closed the calls of a killed daemon as interrupted');
      return recorder;
    },
    close: (recorder, { draining, logger }) =>
      recorder
        .stopped(draining.signal.aborted ? String(draining.signal.reason) : 'start failed')
        .catch((err: unknown) => logger.error({ err }, 'cannot record the shutdown in the audit log')),
  })
  .add({ name: 'shared', open: ({ node, ...before }) => node && sharedState(node, before) })
  .add({ name: 'decisions', open: ({ shared, storedDecisions }) => shared?.decisions ?? storedDecisions })
  .add({ name: 'tls', open: ({ config, environment }) => readTls(config.listen.tls, environment) })
  .add({
    name: 'live',
    open: ({ executing, load, observation, onDemand, preloaded, recorder, shared, ...before }, { prepare }) =>
      liveConfig({
        ...before,
        // The next listener for the console uses them.
        changeable: onDemand ? ['listen.host', 'listen.port'] : [],
        reused: { parts: { ...executing, catalog: preloaded.catalog } },
        recorder,
        audit: recorder.log,
        tracing: observation.tracing,
        installedCalls: installedCalls(),
        requireLease: shared?.requireLease,
        async load() {
          const read = await load();
          return shared?.policy.over(read) ?? read;
        },
        prepare,
      }),
    async close(live, { records }) {
      await settledSoon(records);
      await live.close();
    },
  })
  .add({
    name: 'workspaces',
    open({ live, localCaller, logger, node, recorder, shutdown, store }) {
      const stored = storedWorkspaces({
        store,
        settings: () => live.current().config.workspaces,
        audit: recorder.log,
        logger,
        ended: shutdown.signal,
        holder: node?.holders.own,
        now: node?.now,
      });
      // A session of the console is a person with the first key, as is the caller on the private socket. Workspaces of the
      // session itself would be lost with it.
      return workspacesBy(stored, (actor) =>
        isConsoleActor(actor) || localCaller.is(actor) ? programActor.firstKey : actor,
      );
    },
  })
  .add({
    name: 'gauges',
    open: ({ live, log, observation, store, workspaces }) =>
      observation.read(() => live.current().service, { log, workspaces, store }),
  })
  .add({
    name: 'pruning',
    open: ({ live, log, logger, recorder, shutdown }) => ({
      ended: schedulePruning(
        { ...log, append: recorder.log.append },
        () => live.current().config.audit,
        {
          onPruned: (gone) => logger.info({ gone }, 'pruned the audit log'),
          onFailed: (err) => logger.error({ err }, 'cannot prune the audit log'),
        },
        shutdown.signal,
      ),
    }),
    close({ ended }, { shutdown }) {
      // Has an effect only if the start failed before `calls`.
      endCalls(shutdown);
      return ended;
    },
  })
  .add({ name: 'cluster', open: ({ live, shared }) => shared?.start(live) })
  .add({
    name: 'installs',
    open: ({ live, recorder, shared, store }) =>
      installer({
        config: () => live.current().config,
        store,
        append: recorder.log.append,
        apply: live.refreshInstalled,
        now: Date.now,
        shared: shared?.lock,
      }),
  })
  .add({
    name: 'socketPlace',
    open({ config, environment, logger, onDemand }) {
      const opening = openSocketPlace(config.dataDir, environment);
      // Nothing else reaches a daemon on demand.
      return onDemand ? opening : withoutSocket(opening, logger);
    },
    close: (place) => place?.remove(),
  })
  .add({
    name: 'consoleSessions',
    open: ({ cluster, live }) =>
      consoleSessions({
        isOn: () => live.current().config.console,
        now: Date.now,
        newId: cluster?.newSessionId,
        append: (event) => live.current().service.deps.audit.append(event),
      }),
  })
  .add({
    name: 'consoleListener',
    open({ config, consoleSessions: { isInUse }, live, lock, logger, onDemand, socketPlace, version }) {
      if (!onDemand) return undefined;
      const announce = async (url: string | undefined): Promise<void> => {
        const places = { socket: socketPlace?.path, console: url && `${url}${consoleUrl}/` };
        await lock.announce(await onDemandAnnouncement(config, version, places));
      };
      return consoleListener({ place: () => consolePlace(live.current()), isInUse, announce, logger });
    },
  })
  .add({
    name: 'transports',
    open: ({ draining, shutdown, ...before }) =>
      daemonTransports({ ...before, draining: draining.signal, shutdown: shutdown.signal }),
    // Store the responses of calls without a waiting connection before the log is closed.
    close: settledSoon,
  })
  .add({
    name: 'http',
    // In an object: to await the app itself would start it.
    open: ({ transports: { app } }) => ({ app }),
    async prepare({ app }, next, { environment }) {
      const certificate = await readTls(next.listen.tls, environment);
      return () => {
        if (certificate !== undefined) renewTls(app.server, certificate);
      };
    },
    close: ({ app }) => app.close(),
  })
  .add({ name: 'mcp', open: ({ transports }) => transports.closeMcp, close: (closeMcp) => closeMcp() })
  .add({
    name: 'calls',
    open: ({ http }) => openCalls(http.app),
    close: (_calls, { shutdown }) => endCalls(shutdown),
  })
  .add({
    name: 'skills',
    async open({ environment, live, logger, preloaded }) {
      const { config, service } = live.current();
      const isPreloaded = service.parts.catalog === preloaded.catalog;
      const found = await (isPreloaded ? preloaded.found : foundSkills(service.deps.catalog));
      await logSkillWarnings(config, found, logger);
      await logShortSecrets(config, environment, logger);
      return found;
    },
  })
  .add({
    name: 'peers',
    open: ({ calls, cluster, http, shutdown }) =>
      cluster && answerPeers(cluster, { app: http.app, calls, shutdown: shutdown.signal }),
    close: (stop) => stop?.(),
  })
  .add({
    name: 'idle',
    open({ consoleListener, http, live, records, transports }) {
      const { promise: reached, resolve: onIdle } = Promise.withResolvers<void>();
      const end = endWhenIdle({
        server: http.app.privateServer,
        settled: () => Promise.all([records.settled(), transports.settled(), consoleListener?.closed()]),
        idleMs: () => live.current().config.shutdown.idleMs,
        onIdle,
      });
      return { reached, end, onIdle };
    },
    close: ({ end }) => end.stop(),
  })
  // If its data directory is moved, removed or replaced, a daemon on demand runs nothing any more, and no command finds it.
  .add({
    name: 'lockWatch',
    open({ idle, lock, logger, onDemand }) {
      if (!onDemand) return undefined;
      const timer = setInterval(() => {
        const reason = whyLost(lock.held);
        if (reason === undefined) return;
        clearInterval(timer);
        logger.error(`shutting down: the lock on the data directory (${lock.held.file}) ${reason}`);
        idle.onIdle();
      }, lockWatchMs).unref();
      return timer;
    },
    close: (timer) => clearInterval(timer),
  })
  .add({
    name: 'url',
    async open({ config, http, idle, lock, logger, onDemand, socketPlace, version }) {
      if (onDemand && socketPlace !== undefined) {
        // Without this, its routes are not built: nothing listens at an address, which would do it.
        await http.app.ready();
        const socket = await openSocket(http.app, socketPlace);
        await lock.announce(await onDemandAnnouncement(config, version, { socket }));
        idle.end.begin();
        return undefined;
      }
      const url = await listen(http.app, config);
      const socket = socketPlace && (await withoutSocket(openSocket(http.app, socketPlace), logger));
      await lock.announce(await ownAnnouncement({ url, socket, version }));
      return url;
    },
  })
  .add({
    name: 'systemd',
    open: ({ config, environment, log, logger, openedStore }) => {
      // If a database does not answer, a restart of the daemon does not help.
      const isLocal = config.store.postgres === null;
      const answered = () =>
        Promise.allSettled([log.requireWritable(), ...(isLocal ? [openedStore.run('probe')] : [])]);
      return notifySystemd({ environment, answered, logger });
    },
    close: (stop) => stop(),
  })
  .add({
    name: 'startMemory',
    open: ({ calls }) => releaseStartMemory(() => calls.count() > 0),
    close: (stop) => stop(),
  })
  .add({
    name: 'configWatch',
    // No person reloads a daemon on demand: commands expect the current file.
    open: ({ config: { file, watchConfig: isWatched }, live, onDemand }) =>
      watchConfig({ file, watchConfig: isWatched || onDemand }, () => void live.reload()),
    close: (stop) => stop(),
  })
  // Without waiting for a request: the running calls of a revoked key must end.
  .add({
    name: 'keyWatch',
    open: ({ keys }) => setInterval(keys.look, 2000).unref(),
    close: (timer) => clearInterval(timer),
  })
  .add({ name: 'decisionWatch', open: readRegularly, close: (timer) => clearInterval(timer) })
  .add({ name: 'sharedWatch', open: ({ live, shared }) => shared?.watch(live), close: (stop) => stop?.() })
  // What only makes later requests faster starts after the first check: a load balancer waits for that.
  .add({
    name: 'later',
    open: ({ live, logger, recorder, transports }) =>
      startAfter(transports.checked, () => {
        // The store's thread, if the store is in PostgreSQL.
        void endUnused();
        // Begin to index a long log before the first query.
        void recorder.log
          .count({})
          .catch((err: unknown) => logger.warn({ err }, 'cannot read the audit log'));
        live.prewarm();
        // Watch the skills if programs are prewarmed.
        return watchCatalog(() => {
          const { config, service } = live.current();
          return config.capacity.prewarm > 0 ? service.deps.catalog : undefined;
        }, live.reviewPrewarmed);
      }),
    close: (stop) => stop(),
  });

/** The announcement of a daemon on demand that listens. Commands compare the configuration with theirs. */
function onDemandAnnouncement(
  config: Config,
  version: string,
  { socket, console }: Pick<AnnouncedDaemon, 'socket' | 'console'>,
): Promise<AnnouncedDaemon> {
  return ownAnnouncement({
    socket,
    console,
    version,
    onDemand: true,
    configFile: editableFile(config),
    configDigest: configDigest(config),
  });
}

/** The address for the web console of a daemon on demand. The default port is the one of `ambit serve`. */
function consolePlace({ config, values }: ReturnType<LiveConfig['current']>): { host: string; port: number } {
  const { host, port } = config.listen;
  const isDefault = values.some(({ key, origin }) => key === 'listen.port' && origin === 'default');
  return { host, port: isDefault ? 0 : port };
}

/** Resolves to the path of the private socket, once it accepts connections. */
async function openSocket({ privateServer }: FastifyInstance, place: SocketPlace): Promise<string> {
  await listenPrivately(privateServer, place, backlog);
  return place.path;
}

/** Logs why there is no private socket. Commands then use the address of the daemon and its first key. */
async function withoutSocket<Opened>(opening: Promise<Opened>, logger: Logger): Promise<Opened | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logger.warn(
      { code: error.code },
      `${error.message}. Until then, commands use the daemon's address and its first key`,
    );
    return undefined;
  }
}

/** Ends the running calls. */
function endCalls(shutdown: AbortController): void {
  shutdown.abort(new Error('the daemon is shutting down'));
}

/** The parts that decisions change. */
interface DecidedParts {
  config: Config;
  live: LiveConfig;
  decisions: LiveDecisions;
  installs: Pick<LocalInstalls, 'recordExpired'>;
  logger: Logger;
}

/**
 * Reads decisions that others make in the same database: the running calls of a revoked skill must end. A file of SQLite has
 * no other writer, but approvals can end by themselves.
 */
function readRegularly({ config, decisions, live, installs, logger }: DecidedParts): NodeJS.Timeout {
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
  return setInterval(() => void look(), 2000).unref();
}

/** Calls `start` once `first` is settled. Returns a function that stops what it started, or prevents it. */
function startAfter(first: Promise<unknown>, start: () => () => void): () => void {
  const stopped = new AbortController();
  const startUnlessStopped = (): void => {
    if (!stopped.signal.aborted) stopped.signal.addEventListener('abort', start());
  };
  first.then(startUnlessStopped, startUnlessStopped);
  return () => stopped.abort();
}
