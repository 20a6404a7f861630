import { type TransferListItem, Worker } from 'node:worker_threads';
import { threadEnvironment } from '@ambit/runtime';

/** Threads that wait for their start data, by the URL of their program. */
const ahead = new Map<string, Worker>();

/**
 * Starts the thread of the next `startThread` for this program, which then finds its modules loaded. A thread takes as
 * long to start as a process of Node. Unused, it ends at `endUnused` or with the process, which it does not keep alive. Returns the thread.
 */
export function startAhead(program: URL): Worker {
  const worker = newWorker(program);
  ahead.set(program.href, worker);
  // `startThread` then starts another, whose user gets the error.
  const forget = (): void => {
    if (ahead.get(program.href) === worker) ahead.delete(program.href);
  };
  worker.on('error', forget).on('exit', forget).unref();
  return worker;
}

/** Starts a thread. Its program gets `start` from `threadStart`. */
export function startThread(
  program: URL,
  start: unknown,
  transferred: readonly TransferListItem[] = [],
): Worker {
  const worker = ahead.get(program.href) ?? newWorker(program);
  ahead.delete(program.href);
  worker.ref();
  worker.postMessage(start, transferred);
  return worker;
}

/** Ends the threads that were started ahead and not used. */
export async function endUnused(): Promise<void> {
  const unused = [...ahead.values()];
  ahead.clear();
  await Promise.all(unused.map((worker) => worker.terminate()));
}

function newWorker(program: URL): Worker {
  return new Worker(program, { env: threadEnvironment(), execArgv: [] });
}
