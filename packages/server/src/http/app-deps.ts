import type { ExecuteDeps, ReceiptOf, Verification, Workspaces } from '@ambit/core';
import type { FastifyBaseLogger } from 'fastify';
import type { Authenticated, KeyRights } from '../auth/key-rights.ts';
import type { Prompts } from '../wire/prompts.ts';

/** All that the HTTP door reaches for; the catalog, the audit log and the clock come with `execute`. */
export interface AppDeps {
  execute: ExecuteDeps;
  prompts: Prompts;
  workspaces: Workspaces;
  /** Answers a request to `/mcp` of whom a key is for; `body` is what was in it, `undefined` for one without. */
  mcp(request: Request, rights: KeyRights, body: unknown): Promise<Response>;
  /** Judges an `Authorization` header, once a request. */
  authenticate(header: string | undefined): Authenticated;
  /** A fresh UUIDv7; each request has one, whether it executes anything or not. */
  newExecutionId(): string;
  health(): Promise<Health>;
  /** Resolves when calls can be taken. Rejects with the `SkillError` that they would be refused with. */
  ready(): Promise<void>;
  /** What can be shown of the log to those who do not trust it. */
  proofs: {
    receipt: ReceiptOf;
    /** Reads the whole log again. Rejects with `OVERLOADED` while that is under way already. */
    verify(signal: AbortSignal): Promise<Verification>;
  };
  /** Names and addresses by which this server may be called besides the loopback ones: lower case, no port, no brackets. */
  hosts: readonly string[];
  /** Aborted when the daemon stops: ends the calls that run, and no new request is taken. */
  shutdown: AbortSignal;
  logger: FastifyBaseLogger;
  bodyLimitBytes: number;
}

/** Anybody may read it, so it says nothing else. */
export interface Health {
  status: 'ok' | 'unavailable';
}
