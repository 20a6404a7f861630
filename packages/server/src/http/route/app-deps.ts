import type { AuditChain, DaemonEventPage } from '@ambit/api';
import type { SkillErrorCode } from '@ambit/core';
import type {
  ClusterTree,
  DaemonEvent,
  EventReceipt,
  ReadNodeEvents,
  Signed,
  Verification,
} from '@ambit/core/audit';
import type { ExecuteDeps, ReceiptOf } from '@ambit/core/execute';
import type { HostPlaces } from '@ambit/core/policy';
import type { Workspaces } from '@ambit/core/workspace';
import type { JsonThread } from '@ambit/runtime';
import type { FastifyBaseLogger } from 'fastify';
import type { Authentication, KeyRights, PendingAuthentication } from '../../auth/key-rights.ts';
import type { KeyRing } from '../../auth/key-ring.ts';
import type { LocalCaller } from '../../auth/local-caller.ts';
import type { Cluster } from '../../cluster/open-cluster.ts';
import type { PeerCaller } from '../../cluster/peers/peer-caller.ts';
import type { ConfigEntry } from '../../config/config.ts';
import type { ConsoleSessions } from '../../console/console-sessions.ts';
import type { Installs } from '../../installs/installs.ts';
import type { Idempotency } from '../../jobs/idempotency/idempotency.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Prompts } from '../../prompts/prompts.ts';
import type { ConnectionBounds } from '../connections/server-options.ts';
import type { ConsoleListener } from '../console-listener.ts';

/**
 * Dependencies of the HTTP transport; the catalog, the audit log and the clock are in `execute`.
 * The `readonly` fields change when the configuration is reloaded: a request reads `execute` and
 * `prompts` once, through its access scope, and nothing else copies them. The log and the clock
 * never change.
 */
export interface AppDeps {
  readonly execute: ExecuteDeps;
  readonly prompts: Prompts;
  /** Parses bodies and serializes responses. */
  json: JsonThread;
  /** The workspaces of all keys. */
  workspaces: Workspaces;
  /**
   * Answers an authenticated request to `/mcp`; `body` is its parsed body, `undefined` without one.
   */
  mcp(request: Request, rights: KeyRights, body: unknown): Promise<Response>;
  /** Checks an `Authorization` header, once per request. */
  authenticate(header: string | undefined): Authentication | PendingAuthentication;
  /** The keys and their rights. */
  keys: Pick<KeyRing, 'list' | 'rightsOf'>;
  /** The caller on the private socket. */
  localCaller: LocalCaller;
  /** The configuration in force, with the origin of each value. */
  configurationValues(): readonly ConfigEntry[];
  /** The one-time codes and sessions of the web console. */
  console: ConsoleSessions;
  /** The listener for those sessions in a daemon on demand, which has no other address; absent: in `ambit serve`. */
  consoleListener?: ConsoleListener | undefined;
  /** The folder to which the build has written the page of the web console. */
  consoleFolder: string;
  /** The other nodes; absent: this daemon is in no cluster. */
  cluster?: ClusterNodes | undefined;
  /** Whether the operator lets interrupted calls of an idempotent skill run again. */
  rerunsInterrupted(skillId: string): boolean;
  /** A new UUIDv7 for each request, whether it executes anything or not. */
  newExecutionId(): string;
  /** Whether calls are accepted, by component. */
  ready(): Promise<Readiness>;
  /** The metrics, in the format that an `Accept` header asks for. */
  scrape(accept: string | undefined): Promise<{ contentType: string; body: string }>;
  /** Observes every request. */
  observer: RequestObserver;
  /** The events of all nodes of the cluster; absent without one. */
  eventsOfNodes?: ReadNodeEvents | undefined;
  /** Proofs of the log for readers without access to it. */
  proofs: {
    receipt: ReceiptOf;
    eventReceipt(sequence: number): Promise<Signed<EventReceipt> | undefined>;
    /** Verifies the whole log. Rejects with `OVERLOADED` while another verification runs. */
    verify(signal: AbortSignal): Promise<Verification>;
    /** The tree over the checkpoints of the cluster; absent without one. */
    tree?: ClusterTree | undefined;
  };
  /** The log of this node. */
  log: {
    /** Events outside calls, newest first. Absent `kinds` are all kinds. */
    daemonEvents(query: {
      kinds?: readonly DaemonEvent['kind'][] | undefined;
      before?: number;
      limit: number;
    }): Promise<DaemonEventPage>;
    /** The state of the chain, without verifying it. */
    chain(): Promise<Omit<AuditChain, 'copies' | 'verification'>>;
    /** The location to which checkpoints are copied; `null`: they are not. */
    copies: AuditChain['copies'];
  };
  /** The calls that this transport started. */
  jobs: Jobs;
  /** Installed skills. */
  installs: Installs;
  /** Replays responses to repeated requests; `undefined` if responses are not stored. */
  idempotency: Idempotency | undefined;
  /** Estimates when a call that was refused for lack of capacity may find some. */
  retryAfterSeconds(): number;
  /**
   * Names and addresses of this server besides the loopback ones: lower case, no port, no brackets.
   */
  readonly hosts: readonly string[];
  /** For the warnings of a proposed grant. */
  places: HostPlaces;
  /** Whether the configuration that was last read is in force or was refused. */
  configuration(): 'current' | 'refused';
  /**
   * Aborted when shutdown begins: new requests are refused, except for liveness. Running calls
   * continue.
   */
  draining: AbortSignal;
  /** Aborted after the drain time: running calls are canceled. */
  shutdown: AbortSignal;
  /** Absent: plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
  logger: FastifyBaseLogger;
  /** Absent: the daemon's defaults. */
  bounds?: ConnectionBounds;
  bodyLimitBytes: number;
  /** The daemon's version, for the reference. */
  version: string;
}

/** The parts of a cluster that the transport uses. */
interface ClusterNodes
  extends Pick<Cluster, 'nodes' | 'nodeOf' | 'ownerOf' | 'pass' | 'requireLease' | 'ended'> {
  /** This node. */
  identity: Pick<Cluster['identity'], 'name'>;
  /** The rights of a caller that another node has authenticated. They end with its retirement. Throws `STORE_UNAVAILABLE`. */
  rightsOf(peer: PeerCaller): Authentication;
  /** The events of this node's log that the database does not have yet, and the age of the oldest. */
  unshipped(): { unshippedEvents: number; shippingLagMs: number };
}

/** By component: the code that calls are refused with because of it. */
export type Readiness = Readonly<Record<string, 'ok' | 'low' | SkillErrorCode>>;

/** Observes requests for metrics and traces. */
export interface RequestObserver {
  /** Called before a request is checked. */
  began(request: BegunRequest): ObservedRequest;
}

interface BegunRequest {
  executionId: string;
  method: string;
  /** Its pattern: `/skills/:id`; `undefined` if no route matches. */
  route: string | undefined;
  /** The W3C Trace Context header; `undefined` if it is absent or repeated. */
  traceparent: string | undefined;
}

/** The observation of one request. */
export interface ObservedRequest {
  /** 32 hex digits; `undefined` if the request is not traced. */
  traceId: string | undefined;
  /** Runs the handler, so that spans inside it are children of this request's span. */
  within(handle: () => void): void;
  /** Called once, when the response is complete and was sent, or the client disconnected. */
  ended(end: EndedRequest): void;
}

interface EndedRequest {
  status: number;
  seconds: number;
  /** The code of the problem; `undefined` for a successful response or a disconnected client. */
  code: string | undefined;
}
