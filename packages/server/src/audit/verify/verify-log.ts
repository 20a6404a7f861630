import { Worker } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { Verification } from '@ambit/core/internal';
import { threadEnvironment } from '@ambit/runtime';
import { type ErrorOnTheWire, fromWire } from '../log/writer-protocol.ts';
import type { OnProgress } from './walk-log.ts';

export interface VerifyOptions {
  /** The log, in use or not, or a copy of it. */
  file: string;
  /** In PEM: the key that all others have to be vouched for by. Absent: the log's own are believed. */
  publicKey?: string | undefined;
  /** A file of checkpoints that were kept elsewhere, one JSON a line, in the order in which they came there. */
  checkpoints?: string | undefined;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

/** What the thread is started with, and what it says: how far it is, and once what came of it. */
export interface VerifierStart {
  file: string;
  publicKey: string | null;
  checkpoints: string | null;
}
export type VerifierAnswer =
  | { read: number; of: number }
  | { done: Verification }
  | { failed: ErrorOnTheWire };

// The same file, from source or built.
const program = new URL(
  `./verify-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * Reads a whole log again, in a thread of its own, and says whether it is what was written. It changes nothing and makes
 * no writer wait.
 *
 * Rejects with `AUDIT_UNAVAILABLE` for a log or checkpoints that cannot be read, and with the signal's reason.
 */
export async function verifyLog(options: VerifyOptions): Promise<Verification> {
  const { file, publicKey = null, checkpoints = null, onProgress, signal } = options;
  signal?.throwIfAborted();
  const workerData: VerifierStart = { file, publicKey, checkpoints };
  const worker = new Worker(program, { workerData, env: threadEnvironment(), execArgv: [] });
  const done = Promise.withResolvers<Verification>();
  const abort = (): void => done.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  worker.on('message', (said: VerifierAnswer) => {
    if ('done' in said) done.resolve(said.done);
    else if ('failed' in said) done.reject(fromWire(said.failed));
    else onProgress?.(said.read, said.of);
  });
  worker.on('error', (cause) => done.reject(ended(file, cause)));
  worker.on('exit', () => done.reject(ended(file, undefined)));
  try {
    return await done.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

function ended(file: string, cause: unknown): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} could not be verified: the thread that reads it has ended; try again`,
    { cause },
  );
}
