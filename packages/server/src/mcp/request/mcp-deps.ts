import type { Actor } from '@ambit/core/audit';
import type { ExecuteDeps, Narrowing } from '@ambit/core/execute';
import type { Workspaces } from '@ambit/core/workspace';
import type { Prompts } from '../../prompts/prompts.ts';

/**
 * Dependencies of the MCP transport; the catalog, the audit log and the clock are in `execute`. The
 * `readonly` fields change when the configuration is reloaded: each request reads them once, and
 * nothing else copies them.
 */
export interface McpDeps {
  readonly execute: ExecuteDeps;
  readonly prompts: Pick<Prompts, 'select' | 'search'>;
  /** The setting `mcp.untrustedTools`: whether untrusted skills are tools too. */
  readonly untrustedTools: boolean;
  /** The workspaces of all callers. */
  readonly workspaces: Workspaces;
  /**
   * Counts bytes in memory for a caller's request until the returned function is called. Throws
   * `OVERLOADED`.
   */
  hold(actor: Actor, bytes: number): () => void;
  /** A new UUIDv7 for each call. */
  newExecutionId(): string;
  /** A new, unguessable id for a session; absent: a random UUID. */
  newSessionId?: (() => string) | undefined;
  /** Aborted when this node's lease ends, which cancels its running calls; absent without a cluster. */
  readonly lease?: AbortSignal | undefined;
  /** The running calls. Shutdown waits for them, so that each has its record. */
  running: Set<Promise<unknown>>;
  /** Aborted at shutdown: running calls are canceled. */
  shutdown: AbortSignal;
  /** Gets unexpected errors; the client only learns that the request was not at fault. */
  onFault(cause: unknown): void;
  /** Ambit's version, which clients are shown. */
  version: string;
}

/** The caller of a connection, and its rights. */
export interface McpCaller {
  actor: Actor;
  /** Whether the caller may see a skill. Skills that it may not see are reported as missing. */
  sees(skillId: string): boolean;
  mayExecute: boolean;
  /** Whether the caller's key is still valid: for long responses. */
  holds(): boolean;
  /**
   * Aborts when the key is revoked, which cancels its running calls; absent: it cannot be revoked.
   */
  revoked?: AbortSignal | undefined;
  /** The upper bound of its calls; absent: what the policy grants. */
  ceiling?: Narrowing | undefined;
}
