import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../environment/thread-environment.ts';
import type { Loaded } from '../load-skill-folder.ts';
import type { SkillRoot } from '../skill-root.ts';
import type { ScanChanges } from './scan-changes.ts';
import type { Scanner, Wanted } from './scanner.ts';

/** What the thread is sent; it sends back what the scanner's function of that name resolves to. */
export type Question = 'survey' | readonly Wanted[];

// The same file, from source or built.
const program = new URL(
  `./scanning-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * A scanner in a thread of its own, which is started with the first question and does not keep the process alive
 * between two. It answers one at a time. Rejects when the thread cannot be started or ends before it has answered; the
 * next question gets a new one.
 */
export function scanningThread(roots: readonly SkillRoot[]): Scanner {
  let started: Worker | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const start = (): Worker => {
    const worker = new Worker(program, {
      env: threadEnvironment(),
      execArgv: [],
      workerData: roots,
      // What a look at a file leaves behind is gone at once; the less often it is swept up, the better.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    const ended = (): void => {
      if (started === worker) started = undefined;
    };
    // Without a listener, the death of an idle thread would be the process's.
    return worker.on('error', ended).on('exit', ended);
  };

  const ask = (question: Question): Promise<unknown> => {
    const mine = turn.then(async () => {
      started ??= start();
      const worker = started;
      const over = new AbortController();
      const ended = (): void => over.abort();
      worker.once('exit', ended).ref();
      try {
        worker.postMessage(question);
        const [answer] = await once(worker, 'message', { signal: over.signal });
        return answer;
      } finally {
        worker.off('exit', ended).unref();
      }
    });
    turn = mine.catch(() => undefined);
    return mine;
  };

  return {
    survey: async () => (await ask('survey')) as ScanChanges,
    read: async (wanted) => (await ask(wanted)) as readonly Loaded[],
    async close() {
      await turn;
      await started?.terminate();
    },
  };
}
