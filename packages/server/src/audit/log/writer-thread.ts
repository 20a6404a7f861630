import { randomUUID } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { FileIdentity } from '../../sqlite/file-identity.ts';
import { fromWire } from '../../sqlite/thread-error.ts';
import { startThread } from '../../threads/start-thread.ts';
import type { HeldLock } from '../file/held-lock.ts';
import type { SpaceRules } from './log-space.ts';
import { writerProgram } from './writer-location.ts';
import type {
  WriterAnswer,
  WriterAnswers,
  WriterCheckpoint,
  WriterNote,
  WriterReady,
  WriterRequest,
  WriterStart,
} from './writer-protocol.ts';

/** The thread that has the log's file open. */
export interface WriterThread {
  /**
   * Sends a request; answers arrive in order. Rejects with `AUDIT_UNAVAILABLE` if the thread cannot
   * do it, or dies meanwhile: then it is unknown whether it was done. The next request starts
   * another thread, once; if that fails, waiting requests are rejected with the reason.
   */
  ask<Kind extends keyof WriterAnswers>(
    request: Extract<WriterRequest, { kind: Kind }>,
  ): Promise<WriterAnswers[Kind]>;
  /** Closes the file and ends the thread, after the pending requests. */
  close(): Promise<void>;
}

interface Thread {
  worker: Worker;
  /** The pending requests, in order. */
  pending: PromiseWithResolvers<unknown>[];
  /** Resolves when the thread has ended, for whatever reason. */
  ended: Promise<void>;
  hasEnded: boolean;
}

export interface WriterThreadOptions {
  file: string;
  keyFile: string;
  /** Checked before every write; absent for a log that no other process can open. */
  lock?: HeldLock | undefined;
  /** Absent: the log is written as long as there is space. */
  space?: SpaceRules | undefined;
  /** Called with each checkpoint once it is durable. */
  onSigned(signed: WriterCheckpoint['signed']): void;
  /** Gets notes for the operator. */
  onNote?: ((note: string) => void) | undefined;
}

/**
 * Starts the thread for a file. Rejects with `AUDIT_UNAVAILABLE` if the file or the audit signing
 * key cannot be opened.
 */
export async function writerThread({
  file,
  keyFile,
  lock,
  space,
  ...listeners
}: WriterThreadOptions): Promise<WriterThread> {
  const same = { file, keyFile, writer: randomUUID(), lock: lock ?? null, space: space ?? null };
  let opened: FileIdentity | null = null;
  let running: Promise<Thread> | undefined;
  /** The running thread, once it has the file open. */
  let ready: Thread | undefined;

  const start = async (): Promise<Thread> => {
    const started = startWriter({ ...same, opened }, listeners);
    void started.ended.then(() => {
      running = undefined;
      ready = undefined;
    });
    opened = await started.ready;
    ready = started;
    return started;
  };
  const send = <Answer>({ worker, pending, hasEnded }: Thread, request: WriterRequest): Promise<Answer> => {
    if (hasEnded) return Promise.reject(died(file, undefined));
    const waiting = Promise.withResolvers<unknown>();
    pending.push(waiting);
    worker.ref();
    worker.postMessage(request);
    return waiting.promise as Promise<Answer>;
  };

  running = start();
  await running;
  return {
    ask(request) {
      if (ready !== undefined) return send(ready, request);
      running ??= start();
      return running.then((started) => send(started, request));
    },
    async close() {
      const current = await running?.catch(() => undefined);
      current?.worker.ref();
      current?.worker.postMessage({ kind: 'close' } satisfies WriterRequest);
      await current?.ended;
    },
  };
}

function startWriter(
  start: WriterStart,
  { onSigned, onNote }: Pick<WriterThreadOptions, 'onSigned' | 'onNote'>,
): Thread & { ready: Promise<FileIdentity> } {
  const worker = startThread(writerProgram, start);
  const ready = Promise.withResolvers<FileIdentity>();
  const ended = Promise.withResolvers<void>();
  const thread = {
    worker,
    pending: [] as Thread['pending'],
    ended: ended.promise,
    hasEnded: false,
    ready: ready.promise,
  };
  let why: unknown;
  worker.once('message', (first: WriterReady) => {
    if ('failed' in first) ready.reject(fromWire(first.failed));
    else ready.resolve(first.opened);
    // An idle thread does not keep the process alive.
    worker.unref();
    worker.on('message', (given: WriterAnswer | WriterCheckpoint | WriterNote) => {
      if ('note' in given) return onNote?.(given.note);
      if ('signed' in given) return onSigned(given.signed);
      const waiting = thread.pending.shift();
      if (thread.pending.length === 0) worker.unref();
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
    for (const waiting of thread.pending.splice(0)) waiting.reject(error);
    ended.resolve();
  });
  return thread;
}

function died(file: string, cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} cannot be written because its writer thread ended; try again, which starts another`,
    { cause },
  );
}
