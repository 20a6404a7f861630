import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import { threadEnvironment } from '@ambit/runtime';
import { type ErrorOnTheWire, fromWire } from '../log/writer-protocol.ts';
import type { AuditIndex, IndexedLog } from './audit-index.ts';

/** The start data of the thread. */
export interface ReaderStart extends IndexedLog {
  /** How long a question waits for an index that is being built. */
  waitMs: number;
}

/** The questions to the reader thread, by name. */
type IndexQueries = Omit<AuditIndex, 'step' | 'close'>;

export type Question = {
  [Name in keyof IndexQueries]: { id: number; ask: Name; with: Parameters<IndexQueries[Name]> };
}[keyof IndexQueries];

/** An answer with its question's number, or a note for the operator. */
export type ReaderMessage =
  | { id: number; answer: unknown }
  | { id: number; refused: ErrorOnTheWire }
  | { note: string };

/**
 * Sends questions to the reader thread, which the first one starts. If the thread has died, the
 * next question starts another.
 */
export interface ReaderThread {
  ask<Name extends keyof IndexQueries>(
    name: Name,
    ...question: Parameters<IndexQueries[Name]>
  ): Promise<ReturnType<IndexQueries[Name]>>;
  /** Ends the thread; pending questions are refused. */
  close(): Promise<void>;
}

// The same file, from source or built.
const program = new URL(
  `./reader-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** The thread does not keep the process alive. `onNote` gets notes for the operator. */
export function readerThread(start: ReaderStart, onNote: (note: string) => void): ReaderThread {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let isClosed = false;
  let lastId = 0;

  const refuseAll = (reason: SkillError): void => {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const died = (dead: Worker, cause: unknown): void => {
    if (worker !== dead) return;
    worker = undefined;
    refuseAll(unavailable(start.file, 'its reader thread ended; try again', cause));
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    const started = new Worker(program, { workerData: start, env: threadEnvironment(), execArgv: [] });
    started.on('message', (message: ReaderMessage) => {
      if ('note' in message) return onNote(message.note);
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      // Only a pending question keeps the process alive, and `close` until the thread has ended.
      if (waiting.size === 0 && worker === started) started.unref();
      if ('answer' in message) asked?.resolve(message.answer);
      else asked?.reject(fromWire(message.refused));
    });
    started.on('error', (error) => died(started, error));
    started.on('exit', () => died(started, undefined));
    worker = started;
    return started;
  };

  return {
    ask(name, ...question) {
      if (isClosed)
        return Promise.reject(
          unavailable(start.file, 'it is closed because Ambit is shutting down', undefined),
        );
      const asked = Promise.withResolvers<unknown>();
      lastId += 1;
      waiting.set(lastId, asked);
      const thread = running();
      thread.ref();
      thread.postMessage({ id: lastId, ask: name, with: question });
      return asked.promise as ReturnType<typeof this.ask<typeof name>>;
    },
    async close() {
      isClosed = true;
      const ended = worker;
      worker = undefined;
      refuseAll(unavailable(start.file, 'it is closed because Ambit is shutting down', undefined));
      if (ended === undefined) return;
      const exit = once(ended, 'exit');
      ended.ref();
      ended.postMessage('close');
      await exit;
    },
  };
}

function unavailable(file: string, why: string, cause: unknown): SkillError {
  return new SkillError('AUDIT_UNAVAILABLE', `the audit log ${file} cannot be read: ${why}`, { cause });
}
