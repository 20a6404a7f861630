// The program of the store's thread. It may block: only callers of the store wait for it.
import { realpathSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { Database, Statement } from 'better-sqlite3';
import { databaseAdvice } from '../../sqlite/database-advice.ts';
import { type FileIdentity, identify, isSame } from '../../sqlite/file-identity.ts';
import type { Message, Question, Reply } from '../../sqlite/query-thread.ts';
import { toWire } from '../../sqlite/thread-error.ts';
import { threadStart } from '../../threads/thread-start.ts';
import { freeBytes } from '../free-bytes.ts';
import { stepsOf } from '../operations.ts';
import { storeError } from '../store-error.ts';
import { openStoreFile, runner } from './open-store-file.ts';
import type { StoreQuestions } from './sqlite-store.ts';

type Query = Question<StoreQuestions>;

interface Handle {
  database: Database;
  run: ReturnType<typeof runner>;
  /** Prepared once, because every question runs them. */
  control: Record<'BEGIN IMMEDIATE' | 'COMMIT' | 'SAVEPOINT question' | 'RELEASE question', Statement>;
  /** The file, and SQLite's own files beside it. */
  identity: FileIdentity | undefined;
  beside: readonly (readonly [path: string, identity: FileIdentity | undefined])[];
}

const file = await threadStart<string>();
let opened: Handle | undefined;
let queue: Query[] = [];
let isClosing = false;

parentPort?.on('message', (message: Message<StoreQuestions>) => {
  const isFirst = queue.length === 0;
  if (message === 'close') isClosing = true;
  else queue.push(...message);
  if (isFirst) setImmediate(answerAll);
});

/** Answers everything that has arrived, with one commit: a sync to disk costs more than all of it. */
function answerAll(): void {
  const queries = queue;
  queue = [];
  // One message: each costs the event loop more than an answer.
  if (queries.length > 0) {
    const answers = replies(queries);
    parentPort?.postMessage(answers);
    // Both sides have copies.
    freeBytes([queries, answers]);
  }
  if (!isClosing || queue.length > 0) return;
  opened?.database.close();
  parentPort?.close();
}

function replies(queries: readonly Query[]): Reply[] {
  try {
    if (opened !== undefined && !isPresent(opened)) {
      if (!isSame(file, opened.identity)) throw moved();
      // Closing writes what only the removed files had.
      abandon();
    }
    opened ??= open();
    const now = opened;
    now.control['BEGIN IMMEDIATE'].run();
    const answers = queries.map((question) => replyOf(question, now));
    now.control['COMMIT'].run();
    // Otherwise the commit went to files without names, and would be lost with the process.
    if (!isPresent(now)) throw moved();
    return answers;
  } catch (error) {
    // A removed file still has its contents while it is open, so it can be put back.
    if (!(error instanceof MovedError)) abandon();
    return queries.map(({ id }) => ({ id, refused: refusal(error) }));
  }
}

class MovedError extends Error {}

function isPresent({ identity, beside }: Handle): boolean {
  return isSame(file, identity) && beside.every(([path, its]) => isSame(path, its));
}

function moved(): MovedError {
  return new MovedError(
    `it was ${identify(file) === undefined ? 'removed' : 'replaced'} while it was in use; put it back, or stop Ambit, remove ${file}-wal and ${file}-shm, and start Ambit to use the current one`,
  );
}

/** A question that fails changes nothing and does not affect the others, unless SQLite has ended the transaction. */
function replyOf({ id, with: [name, ...given] }: Query, { database, run, control }: Handle): Reply {
  control['SAVEPOINT question'].run();
  try {
    const answer = run(stepsOf(name, given));
    control['RELEASE question'].run();
    return { id, answer };
  } catch (error) {
    if (!database.inTransaction) throw error;
    database.exec('ROLLBACK TO question; RELEASE question');
    return { id, refused: refusal(error) };
  }
}

function open(): Handle {
  const database = openStoreFile(file);
  const place = realpathSync(file);
  const beside = [`${place}-wal`, `${place}-shm`].map((path) => [path, identify(path)] as const);
  const control = {
    'BEGIN IMMEDIATE': database.prepare('BEGIN IMMEDIATE'),
    COMMIT: database.prepare('COMMIT'),
    'SAVEPOINT question': database.prepare('SAVEPOINT question'),
    'RELEASE question': database.prepare('RELEASE question'),
  };
  return { database, run: runner(database), control, identity: identify(file), beside };
}

/** The next question opens the file again: the connection may be in any state. */
function abandon(): void {
  try {
    if (opened?.database.inTransaction) opened.database.exec('ROLLBACK');
  } finally {
    opened?.database.close();
    opened = undefined;
  }
}

function refusal(error: unknown): Extract<Reply, { refused: unknown }>['refused'] {
  return toWire(storeError(file, databaseAdvice(file, error), error));
}
