import { Worker } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { Verification } from '@ambit/core/audit';
import { threadEnvironment } from '@ambit/runtime';
import { type ErrorOnTheWire, fromWire } from '../../sqlite/thread-error.ts';
import type { OnProgress } from './walk-log.ts';

export interface VerifyOptions {
  /** The log, in use or not, or a copy. */
  file: string;
  /** In PEM: the key that must vouch for all others. Absent: the log's own keys are trusted. */
  publicKey?: string | undefined;
  /** A file of checkpoints from elsewhere, one JSON object per line, in order of arrival. */
  checkpoints?: string | undefined;
  onProgress?: OnProgress;
  signal?: AbortSignal;
}

/** The start data of the thread, and its messages: the progress, then the result. */
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
 * Verifies a whole log, in a separate thread. Changes nothing and delays no writer.
 *
 * Rejects with `AUDIT_UNAVAILABLE` if the log or the checkpoints cannot be read, and with the
 * signal's reason.
 */
export async function verifyLog(options: VerifyOptions): Promise<Verification> {
  const { file, publicKey = null, checkpoints = null, onProgress, signal } = options;
  signal?.throwIfAborted();
  const workerData: VerifierStart = { file, publicKey, checkpoints };
  const worker = new Worker(program, { workerData, env: threadEnvironment(), execArgv: [] });
  const done = Promise.withResolvers<Verification>();
  const abort = (): void => done.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  worker.on('message', (message: VerifierAnswer) => {
    if ('done' in message) done.resolve(message.done);
    else if ('failed' in message) done.reject(fromWire(message.failed));
    else onProgress?.(message.read, message.of);
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
    `cannot verify the audit log ${file}: the thread that reads it ended; try again`,
    { cause },
  );
}
