import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditLog } from '@ambit/core';
import { closeInheritedDescriptors } from '@ambit/runtime';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { keepPruning } from '../audit/keep/keep-pruning.ts';
import { maskedLog } from '../audit/keep/masked-log.ts';
import { lockDataDir } from '../audit/lock-data-dir.ts';
import { openAuditLog } from '../audit/open-audit-log.ts';
import { hasScope, type KeyRights } from '../auth/key-rights.ts';
import { keyRing } from '../auth/key-ring.ts';
import type { RunningDaemon, SandboxState } from '../cli/actions.ts';
import type { Config } from '../config/config.ts';
import type { Health } from '../http/app-deps.ts';
import { buildApp } from '../http/build-app.ts';
import type { McpCaller } from '../mcp/mcp-deps.ts';
import { mcpEndpoint } from '../mcp/mcp-endpoint.ts';
import { auditOptions } from './audit-options.ts';
import { verifyOnceAtATime } from './audit-proofs.ts';
import { auditTrail } from './audit-trail.ts';
import { dataFiles, saidOfKeys, usableKey } from './data-dir.ts';
import { assemble, policyOf } from './execute-deps.ts';
import { watchedLog } from './in-flight.ts';
import { knownSecrets } from './known-secrets.ts';
import { lastingWorkspaces } from './lasting-workspaces.ts';
import { bubblewrapFix, type Machine, probeMachine } from './machine.ts';
import { prompts } from './prompts.ts';

/**
 * Starts the daemon: takes the data directory, closes the records of a predecessor that was killed, and listens.
 * Resolves when calls are answered. Rejects, with everything given back, when the directory is taken, the log or the
 * key cannot be used, or the address is not to be had.
 */
export async function startDaemon(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
): Promise<RunningDaemon> {
  closeInheritedDescriptors();
  await using held = new AsyncDisposableStack();
  const lock = await lockDataDir(config.dataDir);
  held.defer(() => lock.release());
  const logger = pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: false }));
  const files = dataFiles(config);
  const { key } = await usableKey(files.key);
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
    ...auditOptions(config, environment, (err) => {
      if (err === undefined) logger.info('checkpoints are kept outside again');
      else logger.error({ err }, 'checkpoints cannot be kept outside; calls go on, and they are tried again');
    }),
    onNote: (note) => logger.warn(note),
  });
  held.defer(() => log.close());
  const secrets = await knownSecrets(config, environment);
  secrets.cover.learn(key);
  const watched = watchedLog(maskedLog(log, secrets.cover));
  const trail = await auditTrail(watched.log, log, policyOf(config), Date.now);
  const audit = trail.log;
  const interrupted = await trail.started({ version });
  let stopReason = 'the start failed';
  held.defer(() =>
    trail
      .stopped(stopReason)
      .catch((cause: unknown) => logger.error({ err: cause }, 'the stop is not in the log')),
  );
  if (interrupted > 0)
    logger.warn({ interrupted }, 'calls of a daemon that was killed were closed as interrupted');
  const machine = await probeMachine();
  const assembled = assemble(config, machine, audit, secrets, environment, { lasts: true });
  held.defer(() => assembled.close());
  // Runs have been canceled by then, and end within moments; what has no end after that is interrupted.
  held.defer(() => Promise.race([watched.settled(), delay(settleMs, undefined, { ref: false })]));

  const shutdown = new AbortController();
  const pruning = keepPruning(
    { ...log, append: audit.append },
    config.audit,
    {
      onPruned: (gone) => logger.info({ gone }, 'the audit log was pruned'),
      onFailed: (cause) => logger.error({ err: cause }, 'the audit log could not be pruned'),
    },
    shutdown.signal,
  );
  held.defer(() => pruning);
  const composing = prompts({
    ...{ config, catalog: assembled.deps.catalog, contextRoots: config.contextRoots },
    sandbox: async () => machine.process,
  });
  const workspaces = await lastingWorkspaces(config, audit, logger, shutdown.signal);
  const running = new Set<Promise<unknown>>();
  const mcp = mcpEndpoint({
    ...{ execute: assembled.deps, prompts: composing, version, newExecutionId: uuidv7 },
    running,
    shutdown: shutdown.signal,
    onFault: (cause) => logger.error({ err: cause }, 'a call over MCP failed'),
  });
  const app = buildApp({
    execute: assembled.deps,
    prompts: composing,
    workspaces,
    mcp: (request, rights, body) => mcp.fetch(request, mcpCaller(rights), body),
    authenticate: keys.authenticate,
    newExecutionId: uuidv7,
    health: () => healthOf(audit),
    ready: log.requireWritable,
    proofs: { receipt: log.receipt, verify: verifyOnceAtATime(config) },
    hosts: [config.listen.host, ...config.listen.names].map((name) => name.toLowerCase()),
    shutdown: shutdown.signal,
    logger,
    bodyLimitBytes: config.bodyLimitBytes,
  });
  held.defer(() => app.close());
  // Streams that nobody ends would keep the connections, and them the stop.
  held.defer(() => mcp.close());
  held.defer(async () => void (await Promise.allSettled(running)));
  held.defer(() => shutdown.abort(new Error('the daemon stops')));

  const { catalog } = assembled.deps;
  const [skills, broken] = [await catalog.list(), await catalog.broken()];
  await app.listen({ host: config.listen.host, port: config.listen.port });
  const url = urlOf(app.server.address() as AddressInfo);
  await lock.announce({ pid: process.pid, url });
  // So that the index of a long log is there, or on its way, when somebody asks.
  void audit.count({}).catch((cause: unknown) => logger.warn({ err: cause }, 'the audit log cannot be read'));
  // Calls are answered meanwhile, each with a program of its own.
  void assembled.prewarm().then(
    (failed) => {
      for (const { skillId, cause } of failed)
        logger.warn({ skillId, err: cause }, 'it could not be made ready');
    },
    (cause: unknown) => logger.warn({ err: cause }, 'skills could not be made ready'),
  );

  const open = held.move();
  return {
    url,
    skills,
    broken,
    sandboxes: sandboxStates(machine),
    keyFile: files.key,
    auditFile: files.audit,
    close: () => {
      stopReason = 'it was told to stop';
      return open.disposeAsync();
    },
  };
}

/** How long a stop waits for the records of the runs that it has canceled. */
const settleMs = 10_000;

/** A log that cannot even be read takes no records, and without records nothing runs. */
async function healthOf(audit: AuditLog): Promise<Health> {
  return audit.query({ limit: 1 }).then(
    () => ({ status: 'ok' as const }),
    () => ({ status: 'unavailable' as const }),
  );
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function sandboxStates({ process, processStatus, wasm }: Machine): {
  process: SandboxState;
  wasm: SandboxState;
} {
  return {
    process: processStatus.works
      ? { works: true, name: process.name }
      : { works: false, detail: processStatus.detail, fix: bubblewrapFix },
    wasm: { works: true, name: wasm.name },
  };
}

/** What a key allows, as the MCP door asks. */
function mcpCaller(rights: KeyRights): McpCaller {
  const { actor, skills, ceiling } = rights;
  return {
    actor,
    ceiling,
    sees: (skillId) => skills?.has(skillId) ?? true,
    mayExecute: hasScope(rights, 'skills:execute'),
  };
}
