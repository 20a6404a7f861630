// The program of the store's thread. It may block: only callers of the store wait for it.
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import type { Question, Reply } from '../../sqlite/asked-thread.ts';
import { databaseAdvice } from '../../sqlite/database-advice.ts';
import { toWire } from '../../sqlite/thread-error.ts';
import { stepsOf } from '../operations.ts';
import { storeError } from '../store-error.ts';
import { openStoreFile, runner } from './open-store-file.ts';
import type { StoreQuestions } from './sqlite-store.ts';

type Asked = Exclude<Question<StoreQuestions>, 'close'>;

const file: string = workerData;
let opened: { database: Database; run: ReturnType<typeof runner> } | undefined;
let queue: Asked[] = [];
let isClosing = false;

parentPort?.on('message', (question: Question<StoreQuestions>) => {
  if (question === 'close') isClosing = true;
  else queue.push(question);
  if (queue.length <= 1) setImmediate(answerAll);
});

/** Answers everything that has arrived, with one commit: a sync to disk costs more than all of it. */
function answerAll(): void {
  const asked = queue;
  queue = [];
  for (const reply of asked.length === 0 ? [] : replies(asked)) parentPort?.postMessage(reply);
  if (!isClosing || queue.length > 0) return;
  opened?.database.close();
  parentPort?.close();
}

function replies(asked: readonly Asked[]): Reply[] {
  try {
    opened ??= open();
    const { database, run } = opened;
    database.exec('BEGIN IMMEDIATE');
    const answers = asked.map((question) => replyOf(question, database, run));
    database.exec('COMMIT');
    return answers;
  } catch (error) {
    abandon();
    return asked.map(({ id }) => ({ id, refused: refusal(error) }));
  }
}

/** A question that fails changes nothing and does not affect the others, unless SQLite has ended the transaction. */
function replyOf(
  { id, with: [name, ...given] }: Asked,
  database: Database,
  run: ReturnType<typeof runner>,
): Reply {
  database.exec('SAVEPOINT question');
  try {
    const answer = run(stepsOf(name, given));
    database.exec('RELEASE question');
    return { id, answer };
  } catch (error) {
    if (!database.inTransaction) throw error;
    database.exec('ROLLBACK TO question; RELEASE question');
    return { id, refused: refusal(error) };
  }
}

function open(): typeof opened & object {
  const database = openStoreFile(file);
  return { database, run: runner(database) };
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
