import type { SkillErrorCode } from '@ambit/core';
import type { ExecuteDeps } from '@ambit/core/execute';
import type { ReceiptOf, Verification, Workspaces } from '@ambit/core/internal';
import type { JsonThread } from '@ambit/runtime';
import type { FastifyBaseLogger } from 'fastify';
import type { Authenticated, KeyRights } from '../auth/key-rights.ts';
import type { Idempotency } from '../jobs/idempotency/idempotency.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Prompts } from '../wire/prompts.ts';
import type { RequestObserver } from './observe-requests.ts';
import type { ConnectionBounds } from './server-options.ts';

/**
 * All that the HTTP transport reaches for; the catalog, the audit log and the clock come with `execute`. What is `readonly` is
 * another when the configuration has been read again: a request takes `execute` and `prompts` once, by its reach, and
 * nobody copies them. The log and the clock stay the same.
 */
export interface AppDeps {
  readonly execute: ExecuteDeps;
  readonly prompts: Prompts;
  /** Reads bodies and writes answers. */
  json: JsonThread;
  /** Of all keys. */
  workspaces: Workspaces;
  /** Answers a request to `/mcp` of whom a key is for; `body` is what was in it, `undefined` for one without. */
  mcp(request: Request, rights: KeyRights, body: unknown): Promise<Response>;
  /** Judges an `Authorization` header, once a request. */
  authenticate(header: string | undefined): Authenticated;
  /** A fresh UUIDv7; each request has one, whether it executes anything or not. */
  newExecutionId(): string;
  /** Whether calls can be taken, part by part. */
  ready(): Promise<Readiness>;
  /** What is measured, for an `Accept` header. */
  scrape(accept: string | undefined): Promise<{ contentType: string; body: string }>;
  /** Looks on at every request. */
  observer: RequestObserver;
  /** What can be shown of the log to those who do not trust it. */
  proofs: {
    receipt: ReceiptOf;
    /** Reads the whole log again. Rejects with `OVERLOADED` while that is under way already. */
    verify(signal: AbortSignal): Promise<Verification>;
  };
  /** What this transport has begun. */
  jobs: Jobs;
  /** Answers requests that are sent again; `undefined` where no answers are kept. */
  idempotency: Idempotency | undefined;
  /** When a call that found no room may find some. */
  retryAfterSeconds(): number;
  /** Names and addresses by which this server may be called besides the loopback ones: lower case, no port, no brackets. */
  readonly hosts: readonly string[];
  /** Whether the configuration that was last read is the one in force, or was refused. */
  configuration(): 'current' | 'refused';
  /** Aborted when the daemon begins to stop: no new request is taken, but for whether it is alive. What runs goes on. */
  draining: AbortSignal;
  /** Aborted when the daemon stops: ends the calls that run. */
  shutdown: AbortSignal;
  /** Absent: plain HTTP. */
  tls?: { cert: string; key: string };
  logger: FastifyBaseLogger;
  /** Absent: what a daemon has. */
  bounds?: ConnectionBounds;
  bodyLimitBytes: number;
  /** The daemon's own, for the reference. */
  version: string;
}

/** By the name of a part: the code that calls would be refused with for it. */
export type Readiness = Readonly<Record<string, 'ok' | 'low' | SkillErrorCode>>;
