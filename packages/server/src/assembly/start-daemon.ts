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
import { auditOptions } from './audit/audit-options.ts';
import { openRecords } from './audit/open-records.ts';
import { openRecorder } from './audit/recorder.ts';
import { daemonTransports } from './daemon-transports.ts';
import { dataFiles, prepareDataDir, saidOfKeys, usableKey } from './data-dir.ts';
import { beginSkills, policyOf } from './execute-deps.ts';
import { knownSecrets } from './known-secrets.ts';
import { lastingWorkspaces } from './lasting-workspaces.ts';
import { logDestination } from './log-destination.ts';
import { bubblewrapFix, type Machine, probeMachine } from './machine.ts';
import { observeDaemon } from './observe-daemon.ts';
import { oneAddress } from './one-address.ts';
import { type Opened, openedTogether } from './opened-together.ts';
import { liveConfig } from './reload/live-config.ts';
import { watchConfig } from './reload/watch-config.ts';
import { drain } from './stop/drain.ts';
import { openCalls } from './stop/open-calls.ts';
import { readTls, renewTls } from './tls.ts';
import { watchCatalog } from './watch-catalog.ts';
import { watchFile } from './watch-file.ts';

/**
 * Starts the daemon: takes the data directory, closes the records of a predecessor that was killed, and listens.
 * Resolves when calls are answered. `load` reads the configuration again. Rejects, with everything given back, when the
 * directory is taken, the log or the key cannot be used, or the address is not to be had.
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
  // Skills are read, and walls are tried, while the log is opened by its thread; nothing runs before its records are in order.
  const begun = beginSkills(config);
  held.defer(() => begun.close());
  const probing = probeMachine();
  // A start that is refused before anything else owns the sandbox leaves no cgroup behind either.
  held.defer(async () => (await probing).process.close?.());
  const logger = pino({ level: config.logLevel }, logDestination(2));
  const files = dataFiles(config);
  const { key } = await usableKey(config);
  const keys = await saidOfKeys(() =>
    keyRing({
      firstKey: key,
      file: files.keys,
      now: Date.now,
      onUnusable: (err) =>
        logger.error({ err }, 'the keys cannot be read; those that were read before go on'),
    }),
  );
  const log = await openAuditLog({
    ...auditOptions(config, environment, {
      lock,
      lasts: true,
      onFailure(err) {
        if (err === undefined) logger.info('checkpoints are kept outside again');
        else
          logger.error({ err }, 'checkpoints cannot be kept outside; calls go on, and they are tried again');
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
  let stopReason = 'the start failed';
  held.defer(() =>
    recorder
      .stopped(stopReason)
      .catch((cause: unknown) => logger.error({ err: cause }, 'the stop is not in the log')),
  );
  if (interrupted > 0)
    logger.warn({ interrupted }, 'calls of a daemon that was killed were closed as interrupted');
  const machine = await probing;
  const tls = await readTls(config.listen.tls, environment);
  const live = await liveConfig({
    ...{
      config,
      begun,
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
    alsoReady: async (next) => {
      const certificate = await readTls(next.listen.tls, environment);
      return () => {
        logger.level = next.logLevel;
        if (certificate !== undefined) renewTls(app.server, certificate);
      };
    },
  });
  held.defer(() => live.close());
  // Runs have been canceled by then, and end within moments; what has no end after that is interrupted.
  held.defer(() => Promise.race([records.settled(), delay(settleMs, undefined, { ref: false })]));

  const [draining, shutdown] = [new AbortController(), new AbortController()];
  const workspaces = await lastingWorkspaces({
    ...{ dataDir: config.dataDir, settings: () => live.current().config.workspaces },
    ...{ audit, logger, ended: shutdown.signal },
  });
  observation.read(() => live.current().assembled, { log, workspaces });
  const pruning = schedulePruning(
    { ...log, append: audit.append },
    () => live.current().config.audit,
    {
      onPruned: (gone) => logger.info({ gone }, 'the audit log was pruned'),
      onFailed: (cause) => logger.error({ err: cause }, 'the audit log could not be pruned'),
    },
    shutdown.signal,
  );
  held.defer(() => pruning);
  const transports = await daemonTransports({
    ...{ config, live, keys, log, workspaces, machine, observation, tls, logger, version },
    ...{ draining: draining.signal, shutdown: shutdown.signal },
  });
  const { app } = transports;
  // Calls that no connection waits for have their answers kept before the log is closed.
  held.defer(() => Promise.race([transports.settled(), delay(settleMs, undefined, { ref: false })]));
  held.defer(() => app.close());
  held.defer(() => transports.closeMcp());
  held.defer(() => shutdown.abort(new Error('the daemon stops')));

  const calls = openCalls(app);
  const { catalog } = live.current().assembled.deps;
  const [skills, broken] = [await catalog.list(), await catalog.broken()];
  await app.listen({ host: await oneAddress(config.listen.host), port: config.listen.port });
  const url = urlOf(app.server.address() as AddressInfo, tls === undefined ? 'http' : 'https');
  await lock.announce(await ownAnnouncement(url));
  // So that the index of a long log is there, or on its way, when somebody asks.
  void audit.count({}).catch((cause: unknown) => logger.warn({ err: cause }, 'the audit log cannot be read'));
  live.prewarm();
  held.defer(
    watchCatalog(() => {
      const { config: inForce, assembled } = live.current();
      return inForce.prewarm > 0 ? assembled.deps.catalog : undefined;
    }, live.reviewPrewarmed),
  );
  held.defer(watchConfig(config, () => void live.reload()));
  // Without waiting for a request: what a revoked key has begun is to end.
  held.defer(watchFile(files.keys, keys.look));

  return {
    url,
    skills,
    broken,
    sandboxes: sandboxStates(machine),
    keyFile: files.key,
    auditFile: files.audit,
    reload: live.reload,
    async close(hurry) {
      stopReason = 'it was told to stop';
      draining.abort();
      const { drainMs } = live.current().config.shutdown;
      logger.info({ requests: calls.count(), drainMs }, 'it stops: nothing new is taken');
      const settled = () => Promise.all([calls.settled(), records.settled(), transports.settled()]);
      const ended = await drain({ settled, mostMs: drainMs, hurry });
      if (ended !== 'settled') logger.warn({ requests: calls.count() }, 'what still runs is canceled');
      await held.close();
    },
  };
}

/** How long a stop waits for the records of the runs that it has canceled. */
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
