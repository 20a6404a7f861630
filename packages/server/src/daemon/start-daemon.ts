import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ownAnnouncement } from '@ambit/client/node';
import type { Environment } from '@ambit/runtime';
import { pino } from 'pino';
import { lockDataDir } from '../audit/lock-data-dir.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { schedulePruning } from '../audit/retention/schedule-pruning.ts';
import { keyRing } from '../auth/key-ring.ts';
import type { RunningDaemon, SandboxState } from '../cli/actions/actions.ts';
import type { Config } from '../config/config.ts';
import { dataFiles, prepareDataDir, usableKey, withKeyErrors } from '../wiring/data-dir.ts';
import { policyOf, preloadSkills } from '../wiring/execute-deps.ts';
import { knownSecrets } from '../wiring/known-secrets.ts';
import { bubblewrapFix, type Machine, probeMachine } from '../wiring/machine.ts';
import { type Opened, openedTogether } from '../wiring/opened-together.ts';
import { auditOptions } from '../wiring/recorder/audit-options.ts';
import { openRecords } from '../wiring/recorder/open-records.ts';
import { openRecorder } from '../wiring/recorder/recorder.ts';
import { storedWorkspaces } from '../wiring/stored-workspaces.ts';
import { watchCatalog } from '../wiring/watch-catalog.ts';
import { daemonTransports } from './daemon-transports.ts';
import { drain, openCalls } from './drain.ts';
import { oneAddress } from './listen.ts';
import { logDestination } from './observe/log-destination.ts';
import { observeDaemon } from './observe/observe-daemon.ts';
import { liveConfig } from './reload/live-config.ts';
import { readTls, renewTls } from './tls.ts';
import { watchConfig, watchFile } from './watch-file.ts';

/**
 * Starts the daemon: locks the data directory, closes the records of a killed predecessor, and listens. Resolves when it
 * accepts calls. `load` reloads the configuration. If the directory is in use, the log or the key is unusable, or the
 * address is unavailable, it releases everything and rejects.
 */
export async function startDaemon(
  config: Config,
  environment: Environment,
  version: string,
  load: () => Promise<Config>,
): Promise<RunningDaemon> {
  return openedTogether((held) => start(held, config, environment, version, load));
}

async function start(
  held: Opened,
  config: Config,
  environment: Environment,
  version: string,
  load: () => Promise<Config>,
): Promise<RunningDaemon> {
  await prepareDataDir(config);
  const lock = await lockDataDir(config.dataDir);
  held.defer(() => lock.release());
  // Read skills and test sandboxes while a thread opens the log. Nothing runs before the log is ready.
  const preloaded = preloadSkills(config);
  held.defer(() => preloaded.close());
  const probing = probeMachine();
  // If the start fails, remove the sandbox's cgroup too.
  held.defer(async () => (await probing).process.close?.());
  const logger = pino({ level: config.logLevel }, logDestination(2));
  const files = dataFiles(config);
  const { key } = await usableKey(config);
  const keys = await withKeyErrors(() =>
    keyRing({
      firstKey: key,
      file: files.keys,
      now: Date.now,
      onUnusable: (err) => logger.error({ err }, 'cannot read the keys; the previous ones remain valid'),
    }),
  );
  const log = await openAuditLog({
    ...auditOptions(config, environment, {
      lock,
      lasts: true,
      onFailure(err) {
        if (err === undefined) logger.info('copying checkpoints again');
        else logger.error({ err }, 'cannot copy checkpoints; retrying, and calls continue');
      },
    }),
    onNote: (note) => logger.warn(note),
  });
  held.defer(() => log.close());
  const secrets = await knownSecrets(config, environment);
  secrets.redactions.add(key);
  const observation = await observeDaemon(config, { environment, version, logger });
  held.defer(() => observation.close());
  const records = openRecords();
  const recorder = await openRecorder(log, {
    ...{ policy: policyOf(config), redactor: secrets.redactions, now: Date.now },
    observers: [...observation.auditObservers, records],
  });
  const audit = recorder.log;
  const interrupted = await recorder.started({ version });
  let stopReason = 'start failed';
  held.defer(() =>
    recorder
      .stopped(stopReason)
      .catch((cause: unknown) => logger.error({ err: cause }, 'cannot record the shutdown in the audit log')),
  );
  if (interrupted > 0) logger.warn({ interrupted }, 'closed the calls of a killed daemon as interrupted');
  const machine = await probing;
  const tls = await readTls(config.listen.tls, environment);
  const live = await liveConfig({
    ...{
      config,
      preloaded,
      load,
      machine,
      audit,
      secrets,
      environment,
      lasts: true,
      recorder,
      logger,
    },
    tracing: observation.tracing,
    prepare: async (next) => {
      const certificate = await readTls(next.listen.tls, environment);
      return () => {
        logger.level = next.logLevel;
        if (certificate !== undefined) renewTls(app.server, certificate);
      };
    },
  });
  held.defer(() => live.close());
  // Canceled runs end within moments. Any that have not ended by then are recorded as interrupted at the next start.
  held.defer(() => Promise.race([records.settled(), delay(settleMs, undefined, { ref: false })]));

  const [draining, shutdown] = [new AbortController(), new AbortController()];
  const workspaces = await storedWorkspaces({
    ...{ dataDir: config.dataDir, settings: () => live.current().config.workspaces },
    ...{ audit, logger, ended: shutdown.signal },
  });
  observation.read(() => live.current().assembled, { log, workspaces });
  const pruning = schedulePruning(
    { ...log, append: audit.append },
    () => live.current().config.audit,
    {
      onPruned: (gone) => logger.info({ gone }, 'pruned the audit log'),
      onFailed: (cause) => logger.error({ err: cause }, 'cannot prune the audit log'),
    },
    shutdown.signal,
  );
  held.defer(() => pruning);
  const transports = await daemonTransports({
    ...{ config, live, keys, log, workspaces, machine, observation, tls, logger, version },
    ...{ draining: draining.signal, shutdown: shutdown.signal },
  });
  const { app } = transports;
  // Store the responses of calls without a waiting connection before the log is closed.
  held.defer(() => Promise.race([transports.settled(), delay(settleMs, undefined, { ref: false })]));
  held.defer(() => app.close());
  held.defer(() => transports.closeMcp());
  held.defer(() => shutdown.abort(new Error('the daemon is shutting down')));

  const calls = openCalls(app);
  const { catalog } = live.current().assembled.deps;
  const [skills, broken] = [await catalog.list(), await catalog.broken()];
  await app.listen({ host: await oneAddress(config.listen.host), port: config.listen.port });
  const url = urlOf(app.server.address() as AddressInfo, tls === undefined ? 'http' : 'https');
  await lock.announce(await ownAnnouncement(url));
  // Start indexing a long log before the first query.
  void audit.count({}).catch((cause: unknown) => logger.warn({ err: cause }, 'cannot read the audit log'));
  live.prewarm();
  held.defer(
    watchCatalog(() => {
      const { config: inForce, assembled } = live.current();
      return inForce.prewarm > 0 ? assembled.deps.catalog : undefined;
    }, live.reviewPrewarmed),
  );
  held.defer(watchConfig(config, () => void live.reload()));
  // Do not wait for a request: the running calls of a revoked key must end.
  held.defer(watchFile(files.keys, keys.look));

  return {
    url,
    skills,
    broken,
    sandboxes: sandboxStates(machine),
    keyFile: files.key,
    auditFile: files.audit,
    reload: live.reload,
    async close(cancelNow) {
      stopReason = 'stopped by a signal';
      draining.abort();
      const { drainMs } = live.current().config.shutdown;
      logger.info({ requests: calls.count(), drainMs }, 'shutting down: draining');
      const settled = () => Promise.all([calls.settled(), records.settled(), transports.settled()]);
      const ended = await drain({ settled, maxMs: drainMs, cancelNow });
      if (ended !== 'settled')
        logger.warn({ requests: calls.count() }, 'shutting down: canceling running calls');
      await held.close();
    },
  };
}

/** How long shutdown waits for the records of canceled runs. */
const settleMs = 10_000;

function urlOf({ address, family, port }: AddressInfo, scheme: string): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function sandboxStates({ process, processStatus, wasm }: Machine): {
  process: SandboxState;
  wasm: SandboxState;
} {
  return {
    process: processStatus.works
      ? { works: true, name: process.name }
      : { works: false, detail: processStatus.detail, fix: bubblewrapFix(processStatus.detail) },
    wasm: { works: true, name: wasm.name },
  };
}
