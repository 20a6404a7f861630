import type { Actor } from '@ambit/core/audit';
import type { ExecuteDeps, Narrowing } from '@ambit/core/execute';
import type { Workspaces } from '@ambit/core/internal';
import type { Prompts } from '../wire/prompts.ts';

/**
 * All that the MCP transport reaches for; the catalog, the audit log and the clock come with `execute`. What is `readonly` is
 * another when the configuration has been read again: each request takes it once, and nobody copies it.
 */
export interface McpDeps {
  readonly execute: ExecuteDeps;
  readonly prompts: Pick<Prompts, 'select'>;
  /** Whether untrusted skills are tools as well: `mcp.untrustedTools`. */
  readonly untrustedTools: boolean;
  /** Workspaces that live across calls, of all callers. */
  readonly workspaces: Workspaces;
  /**
   * Counts bytes that a request has in memory for its caller, until the function that it returns is called. Throws `OVERLOADED`.
   */
  hold(actor: Actor, bytes: number): () => void;
  /** A fresh UUIDv7 for each call. */
  newExecutionId(): string;
  /** The calls that have begun and not ended; whoever stops the program waits for them, so that each has its record. */
  running: Set<Promise<unknown>>;
  /** Aborted when the program stops: ends the calls that run. */
  shutdown: AbortSignal;
  /** Told of what nobody foresaw; the client only hears that it was no fault of its own. */
  onFault(cause: unknown): void;
  /** Ambit's own, as a client is told it. */
  version: string;
}

/** Who speaks over a connection, and how far that reaches. */
export interface McpCaller {
  actor: Actor;
  /** Whether a skill is there for this caller; of one that is not, nothing is told. */
  sees(skillId: string): boolean;
  mayExecute: boolean;
  /** Whether who it is would still be let in: for what goes on for long. */
  holds(): boolean;
  /** Aborts when that is taken from them, and with it ends the calls that they have begun; absent: it never is. */
  revoked?: AbortSignal | undefined;
  /** What its calls have at most; absent: what policy grants. */
  ceiling?: Narrowing | undefined;
}
