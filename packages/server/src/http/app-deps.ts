import type { Actor, ExecuteDeps } from '@ambit/core';
import type { FastifyBaseLogger } from 'fastify';
import type { Prompts } from '../wire/prompts.ts';

/** All that the HTTP door reaches for; the catalog, the audit log and the clock come with `execute`. */
export interface AppDeps {
  execute: ExecuteDeps;
  prompts: Prompts;
  /** Judges an `Authorization` header. */
  authenticate(header: string | undefined): Authenticated;
  /** A fresh UUIDv7; each request has one, whether it executes anything or not. */
  newExecutionId(): string;
  health(): Promise<Health>;
  /** Names and addresses by which this server may be called besides the loopback ones: lower case, no port, no brackets. */
  hosts: readonly string[];
  /** Aborted when the daemon stops: ends the calls that run, and no new request is taken. */
  shutdown: AbortSignal;
  logger: FastifyBaseLogger;
  bodyLimitBytes: number;
}

/** Who called, or in what way the key fell short. */
export type Authenticated =
  | { status: 'accepted'; actor: Actor }
  | { status: 'missing' | 'malformed' | 'wrong' };

/** Anybody may read it, so it says nothing else. */
export interface Health {
  status: 'ok' | 'unavailable';
}
