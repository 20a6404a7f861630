import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import { threadEnvironment } from '@ambit/runtime';
import type { HeldLock } from '../held-lock.ts';
import type { SpaceRules } from './log-space.ts';
import type { FileIdentity } from './open-log-file.ts';
import {
  fromWire,
  type WriterAnswer,
  type WriterAnswers,
  type WriterNote,
  type WriterReady,
  type WriterRequest,
  type WriterSigned,
  type WriterStart,
} from './writer-protocol.ts';

/** The thread that has the log's file open, from whose answers nothing is lost but with the thread itself. */
export interface WriterThread {
  /**
   * Asks it; answers come in the order of the questions. Rejects with `AUDIT_UNAVAILABLE` when it cannot do what it is
   * asked, or dies meanwhile: then whether it was done is not known. The next question starts another thread, once: what
   * waits for a thread that does not start is answered with why.
   */
  ask<Kind extends keyof WriterAnswers>(
    request: Extract<WriterRequest, { kind: Kind }>,
  ): Promise<WriterAnswers[Kind]>;
  /** Closes the file and ends the thread, after what it has been asked. */
  close(): Promise<void>;
}

interface Running {
  worker: Worker;
  /** Those who wait for an answer, in order. */
  asked: PromiseWithResolvers<unknown>[];
  /** Resolves when it has ended, by itself or not. */
  ended: Promise<void>;
  hasEnded: boolean;
}

// The same file, from source or built.
const program = new URL(
  `./writer-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

export interface WriterThreadOptions {
  file: string;
  keyFile: string;
  /** Checked before every write; absent for a log that no other process can open. */
  lock?: HeldLock | undefined;
  /** Absent: the log is written as long as there is any room. */
  space?: SpaceRules | undefined;
  /** Told of each checkpoint once it is durable. */
  onSigned(signed: WriterSigned['signed']): void;
  /** Gets sentences for the operator. */
  onNote?: ((note: string) => void) | undefined;
}

/** Starts the thread for a file. Rejects with `AUDIT_UNAVAILABLE` when the file, or the key that signs for it, cannot be opened. */
export async function writerThread({
  file,
  keyFile,
  lock,
  space,
  ...listeners
}: WriterThreadOptions): Promise<WriterThread> {
  const same = { file, keyFile, writer: randomUUID(), lock: lock ?? null, space: space ?? null };
  let opened: FileIdentity | null = null;
  let running: Promise<Running> | undefined;

  const start = async (): Promise<Running> => {
    const started = startThread({ ...same, opened }, listeners);
    void started.ended.then(() => {
      running = undefined;
    });
    opened = await started.ready;
    return started;
  };

  running = start();
  await running;
  return {
    async ask(request) {
      running ??= start();
      const { worker, asked, hasEnded } = await running;
      if (hasEnded) throw died(file, undefined);
      const waiting = Promise.withResolvers<unknown>();
      asked.push(waiting);
      worker.ref();
      worker.postMessage(request);
      return waiting.promise as Promise<never>;
    },
    async close() {
      const current = await running?.catch(() => undefined);
      current?.worker.ref();
      current?.worker.postMessage({ kind: 'close' } satisfies WriterRequest);
      await current?.ended;
    },
  };
}

function startThread(
  start: WriterStart,
  { onSigned, onNote }: Pick<WriterThreadOptions, 'onSigned' | 'onNote'>,
): Running & { ready: Promise<FileIdentity> } {
  const worker = new Worker(program, { workerData: start, env: threadEnvironment(), execArgv: [] });
  const ready = Promise.withResolvers<FileIdentity>();
  const ended = Promise.withResolvers<void>();
  const thread = {
    worker,
    asked: [] as Running['asked'],
    ended: ended.promise,
    hasEnded: false,
    ready: ready.promise,
  };
  let why: unknown;
  worker.once('message', (first: WriterReady) => {
    if ('failed' in first) ready.reject(fromWire(first.failed));
    else ready.resolve(first.opened);
    // Nobody waits for an idle thread, so that it keeps no process alive.
    worker.unref();
    worker.on('message', (given: WriterAnswer | WriterSigned | WriterNote) => {
      if ('note' in given) return onNote?.(given.note);
      if ('signed' in given) return onSigned(given.signed);
      const waiting = thread.asked.shift();
      if (thread.asked.length === 0) worker.unref();
      if ('failed' in given) waiting?.reject(fromWire(given.failed));
      else waiting?.resolve(given.answer);
    });
  });
  worker.on('error', (error) => {
    why = error;
  });
  worker.on('exit', () => {
    thread.hasEnded = true;
    const error = died(start.file, why);
    ready.reject(error);
    for (const waiting of thread.asked.splice(0)) waiting.reject(error);
    ended.resolve();
  });
  return thread;
}

function died(file: string, cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} cannot be written: the thread that writes it has ended; the next call starts another`,
    { cause },
  );
}
