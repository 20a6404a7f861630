import type { OperationResult, Operations } from './operations.ts';

/** The database of what outlives a process: see `operations`. */
export interface Store {
  /**
   * Runs an operation in one transaction. Resolves when its changes are durable. Rejects with `STORE_UNAVAILABLE`; if the
   * connection was lost meanwhile, the changes may still have been made.
   */
  run<Name extends keyof Operations>(
    name: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<OperationResult<Name>>;
  /** The connections of a pool, and the operations that wait for one; absent without a pool. */
  load?(): { open: number; idle: number; waiting: number };
  /** Ends the connection after the pending operations. */
  close(): Promise<void>;
}
