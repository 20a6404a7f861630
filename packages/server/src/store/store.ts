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
  /** Ends the connection after the pending operations. */
  close(): Promise<void>;
}
