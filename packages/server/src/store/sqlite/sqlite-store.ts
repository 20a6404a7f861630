import { queryThread } from '../../sqlite/query-thread.ts';
import type { Operations } from '../operations.ts';
import type { Store } from '../store.ts';
import { storeError } from '../store-error.ts';
import { storeProgram } from './store-location.ts';

/** The questions to the thread: the name of an operation, and its arguments. */
export type StoreQuestions = { run(name: keyof Operations, ...given: unknown[]): unknown };

/**
 * The store in a file of SQLite, `store.db`, which a thread of its own reads and writes. The first operation starts the
 * thread, which opens the file. While that fails, operations are refused, and the next one tries again.
 */
export function openSqliteStore(file: string): Store {
  const why = {
    ended: 'its thread ended; try again, which starts another',
    closed: 'it is closed because Ambit is shutting down',
  };
  const thread = queryThread<StoreQuestions>({
    program: storeProgram,
    start: file,
    finishes: true,
    onNote: () => undefined,
    unanswered: (state, cause) => storeError(file, why[state], cause),
  });
  return {
    run: (name, ...given) => thread.ask('run', name, ...given) as Promise<never>,
    close: () => thread.close(),
  };
}
