import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../spawn/environment.ts';
import type { LoadResult } from '../folder/load-skill-folder.ts';
import type { ScanChanges } from './scan-changes.ts';
import type { FolderToRead, Scanner } from './scanner.ts';
import type { SkillRoot } from './skill-root.ts';

/** A message to the thread. The thread answers with the result of the scanner's function. */
export type ScanRequest = { survey: readonly string[] } | { read: readonly FolderToRead[] };

/** The program of the thread: a file of the same kind as this one, source or built. */
export const scanningProgram = new URL(
  `./scanning-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * A scanner in a worker thread. The thread starts with the first request and does not keep the
 * process alive while idle. It answers one request at a time. Rejects if the thread cannot start or
 * ends before it answers; the next request starts a new one.
 */
export function scanningThread(roots: readonly SkillRoot[]): Scanner {
  let started: Worker | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const start = (): Worker => {
    const worker = new Worker(scanningProgram, {
      env: threadEnvironment(),
      execArgv: [],
      workerData: roots,
      // Checking files leaves short-lived objects behind; a larger young generation collects them
      // less often.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    const onExit = (): void => {
      if (started === worker) started = undefined;
    };
    // Without a listener, an error in an idle thread would end the process.
    return worker.on('error', onExit).on('exit', onExit);
  };

  const send = (question: ScanRequest): Promise<unknown> => {
    const result = queue.then(async () => {
      started ??= start();
      const worker = started;
      const exited = new AbortController();
      const onExit = (): void => exited.abort();
      worker.once('exit', onExit).ref();
      try {
        worker.postMessage(question);
        const [answer] = await once(worker, 'message', { signal: exited.signal });
        return answer;
      } finally {
        worker.off('exit', onExit).unref();
      }
    });
    queue = result.catch(() => undefined);
    return result;
  };

  return {
    survey: async (signatures) => (await send({ survey: signatures })) as ScanChanges,
    read: async (wanted) => (await send({ read: wanted })) as readonly LoadResult[],
    async close() {
      await queue;
      await started?.terminate();
    },
  };
}
