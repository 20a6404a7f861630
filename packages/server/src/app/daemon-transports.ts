import type { AuditChain } from '@ambit/api';
import { userPlaces } from '@ambit/client/node';
import type { Workspaces } from '@ambit/core/workspace';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import { type Authentication, hasScope, type KeyRights } from '../auth/key-rights.ts';
import type { KeyRing } from '../auth/key-ring.ts';
import type { LocalCaller } from '../auth/local-caller.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { PeerCaller } from '../cluster/peers/peer-caller.ts';
import type { Config } from '../config/config.ts';
import { consolePage } from '../config/program-folder.ts';
import { type ConsoleSessions, isConsoleActor, rightsOfPeerSession } from '../console/console-sessions.ts';
import { buildApp } from '../http/build-app.ts';
import type { ConsoleListener } from '../http/console-listener.ts';
import type { Installs } from '../installs/installs.ts';
import { verifyOnceAtATime } from '../local/audit-proofs.ts';
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts';
import type { McpCaller, McpDeps } from '../mcp/request/mcp-deps.ts';
import type { Machine } from '../setup/machine.ts';
import type { Store } from '../store/store.ts';
import { newId } from '../wire/new-id.ts';
import { daemonJobs } from './daemon-jobs.ts';
import { daemonReadiness } from './daemon-readiness.ts';
import type { Observation } from './observe/observe-daemon.ts';
import type { LiveConfig } from './reload/live-config.ts';
import type { Certificate } from './tls.ts';

/** The parts of a daemon that its transports use. */
interface TransportDeps {
  /** The configuration at the start. */
  config: Config;
  live: LiveConfig;
  keys: KeyRing;
  localCaller: LocalCaller;
  log: OpenAuditLog;
  store: Store;
  workspaces: Workspaces;
  /** Absent: this daemon is in no cluster. */
  cluster: Cluster | undefined;
  consoleSessions: ConsoleSessions;
  /** Absent: the daemon has an address of its own. */
  consoleListener: ConsoleListener | undefined;
  installs: Installs;
  machine: Machine;
  observation: Observation;
  tls: Certificate | undefined;
  /** Aborted when new calls must be refused. */
  draining: AbortSignal;
  /** Aborted when running calls must end. */
  shutdown: AbortSignal;
  logger: Logger;
  version: string;
}

/** The transports of a daemon, before it listens. */
interface DaemonTransports {
  app: FastifyInstance;
  /** The first check of readiness. Resolves whether or not the daemon is ready. */
  checked: Promise<unknown>;
  /** Resolves when every call without a waiting connection has ended. */
  settled(): Promise<void>;
  /** Ends open MCP streams. */
  closeMcp(): Promise<void>;
}

/** Builds HTTP and MCP. Values that a reload can change are read from `live` each time. */
export async function daemonTransports(deps: TransportDeps): Promise<DaemonTransports> {
  const { config, live, keys, log, workspaces, machine, observation, tls, draining, shutdown } = deps;
  const { logger, version, cluster } = deps;
  const opened = daemonJobs(config, deps.store, logger, shutdown, cluster);
  const newExecutionId = cluster?.newExecutionId ?? newId;
  const mcp = daemonMcp(deps, { newExecutionId, hold: opened.jobs.hold });
  const ready = daemonReadiness({
    log,
    machine,
    store: deps.store,
    dataDir: config.dataDir,
    cluster,
    wasm: { check: () => live.current().service.executors.wasm.check() },
  });
  // Start the checks now: the first one takes a while.
  const checked = ready();
  const app = buildApp({
    get execute() {
      return live.current().service.deps;
    },
    get prompts() {
      return live.current().prompts;
    },
    get hosts() {
      return ownNames(live.current().config);
    },
    ...opened,
    workspaces,
    installs: deps.installs,
    json: live.current().service.parts.json,
    retryAfterSeconds: () => live.current().service.retryAfterSeconds(),
    configuration: () => (live.last()?.outcome === 'refused' ? 'refused' : 'current'),
    mcp: (request, rights, body) => mcp.fetch(request, mcpCaller(rights), body),
    authenticate: observation.countedKeys(keys.authenticate),
    console: deps.consoleSessions,
    consoleListener: deps.consoleListener,
    keys,
    localCaller: deps.localCaller,
    configurationValues: () => live.current().values,
    consoleFolder: consolePage,
    newExecutionId,
    rerunsInterrupted: (id) => live.current().config.idempotency.rerunInterrupted.includes(id),
    cluster: cluster && {
      ...cluster,
      rightsOf: peerRights(keys, cluster),
      unshipped: () => unshipped(log),
    },
    ready,
    scrape: observation.scrape,
    eventsOfNodes: log.eventsOfNodes,
    observer: observation.observer,
    proofs: {
      receipt: log.receipt,
      eventReceipt: log.eventReceipt,
      verify: verifyOnceAtATime(config),
      tree: log.tree,
    },
    log: {
      daemonEvents: log.daemonEvents,
      chain: log.chain,
      copies: copiesOf(config.audit),
    },
    places: { home: userPlaces(process.env).home, dataDir: config.dataDir },
    draining,
    shutdown,
    logger,
    version,
    tls,
    bodyLimitBytes: config.bodyLimitBytes,
  });
  return {
    app,
    checked,
    async settled() {
      await Promise.all([opened.jobs.settled(), mcp.settled()]);
    },
    closeMcp: mcp.close,
  };
}

function unshipped(log: OpenAuditLog): { unshippedEvents: number; shippingLagMs: number } {
  const { sequence = 0, shipping } = log.progress();
  const unshippedEvents = Math.max(0, sequence - (shipping?.through ?? 0));
  return { unshippedEvents, shippingLagMs: shipping?.lagMs ?? 0 };
}

/** A command is named without its arguments, which may have a secret. */
function copiesOf({ checkpoints }: Config['audit']): AuditChain['copies'] {
  if (checkpoints === null) return null;
  return 'file' in checkpoints ? { file: checkpoints.file } : { program: checkpoints.command[0] ?? '' };
}

/**
 * The endpoint at `/mcp`, loaded at the first request: the MCP library is about a sixth of all code that a daemon loads. `settled`
 * resolves when no call is running.
 */
function daemonMcp(
  { live, cluster, workspaces, shutdown, logger, version }: TransportDeps,
  jobs: Pick<McpDeps, 'newExecutionId' | 'hold'>,
): McpEndpoint & { settled(): Promise<unknown> } {
  const running = new Set<Promise<unknown>>();
  const deps: McpDeps = {
    get execute() {
      return live.current().service.deps;
    },
    get prompts() {
      return live.current().prompts;
    },
    get untrustedTools() {
      return live.current().config.mcp.untrustedTools;
    },
    get lease() {
      return cluster?.held();
    },
    ...jobs,
    version,
    newSessionId: cluster?.newSessionId,
    running,
    shutdown,
    workspaces,
    onFault: (cause) => logger.error({ err: cause }, 'MCP call failed'),
  };
  let loaded: Promise<McpEndpoint> | undefined;
  const endpoint = (): Promise<McpEndpoint> => {
    loaded ??= import('../mcp/mcp-endpoint.ts').then(({ mcpEndpoint }) => mcpEndpoint(deps));
    return loaded;
  };
  return {
    fetch: async (request, caller, body) => (await endpoint()).fetch(request, caller, body),
    close: async () => (await loaded)?.close(),
    settled: () => Promise.allSettled(running),
  };
}

/** The rights of a caller that another node has authenticated: a key, or a session of its web console. */
function peerRights(keys: KeyRing, { retired }: Cluster): (peer: PeerCaller) => Authentication {
  // Made once for a key and a node: `AbortSignal.any` leaves a reference at signals that live as long as the daemon.
  const made = new Map<number, WeakMap<KeyRights, KeyRights>>();
  const untilRetired = (node: number, rights: KeyRights): KeyRights => {
    const ofNode = made.get(node) ?? new WeakMap<KeyRights, KeyRights>();
    made.set(node, ofNode);
    const known = ofNode.get(rights);
    if (known !== undefined) return known;
    const atNode = { ...rights, revoked: AbortSignal.any([rights.revoked, retired(node)]) };
    ofNode.set(rights, atNode);
    return atNode;
  };
  return ({ node, actor }) => {
    if (isConsoleActor(actor))
      return { status: 'accepted', rights: rightsOfPeerSession(actor, retired(node)) };
    const found = keys.rightsOf(actor);
    return found.status === 'accepted'
      ? { status: 'accepted', rights: untilRetired(node, found.rights) }
      : found;
  };
}

/** The names that callers may use in `Host`, besides loopback. */
function ownNames({ listen }: Config): string[] {
  return [listen.host, ...listen.names].map((name) => name.toLowerCase());
}

/** The rights of a key, for the MCP transport. */
function mcpCaller(rights: KeyRights): McpCaller {
  const { actor, skills, ceiling, holds, revoked } = rights;
  return {
    actor,
    ceiling,
    holds,
    revoked,
    sees: (skillId) => skills?.has(skillId) ?? true,
    mayExecute: hasScope(rights, 'skills:execute'),
  };
}
