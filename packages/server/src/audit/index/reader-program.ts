// The program of the reader thread, which writes and reads the index.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { Reply } from '../../sqlite/query-thread.ts';
import { toWire } from '../../sqlite/thread-error.ts';
import { passwordFrom } from '../../store/postgres/password-port.ts';
import { threadStart } from '../../threads/thread-start.ts';
import { auditError } from '../file/audit-error.ts';
import { type AuditIndex, auditIndex } from './audit-index.ts';
import { clusterIndex } from './cluster/cluster-index.ts';
import { type LogIndex, rebuilding } from './log-index.ts';
import type { LogSource } from './log-source.ts';
import { postgresIndex, StaleIndexError } from './postgres/postgres-index.ts';
import type { IndexMessage, IndexQuestion, ReaderStart } from './reader-thread.ts';
import { isDamage, isUnwritable, removeIndex } from './sqlite/index-file.ts';
import { sqliteIndex } from './sqlite/sqlite-index.ts';

/** The interval at which the log is indexed without questions, so that a question finds little left to do. */
const idleMs = 1000;

const { port, ...start } = await threadStart<ReaderStart & { port?: MessagePort }>();
let opened: AuditIndex | undefined;
/** The step that is next, for all questions that wait for it. */
let nextStep: Promise<unknown> | undefined;
let isClosed = false;
/** The index file cannot be written. */
let isTemporary = false;

parentPort?.on('message', (message: IndexMessage) => {
  if (message === 'close') {
    isClosed = true;
    clearInterval(idle);
    reset();
    // Ends the thread only. Connections that wait for a server would delay it.
    if (start.postgres !== null) process.exit();
    parentPort?.close();
    return;
  }
  for (const question of message) void answer(question);
});

let isIdling = false;
// The next question reports the error.
const idle = setInterval(() => {
  if (isIdling) return;
  isIdling = true;
  void use(true, Number.POSITIVE_INFINITY, () => 0)
    .catch(() => undefined)
    .finally(() => {
      isIdling = false;
    });
}, idleMs);

async function answer({ id, ask, with: question }: IndexQuestion): Promise<void> {
  try {
    const ofLog = ['events', 'daemonEvents', 'chain', 'eventsOfNodes', 'through'];
    const needsIndex = !(start.node === null ? [...ofLog, 'head', 'scan'] : ofLog).includes(ask);
    const found = await use(needsIndex, Date.now() + start.waitMs, (index) =>
      (index[ask] as (...question: unknown[]) => unknown)(...question),
    );
    send({ id, answer: found });
  } catch (error) {
    send({ id, refused: toWire(auditError(start.file, 'read', error)) });
  }
}

/**
 * Calls `ask` once the index has all events that are in the log now, if it needs them. The index is
 * built in steps, with other questions in between. A damaged index is rebuilt, and an unwritable
 * one replaced by a temporary one, once per question.
 */
async function use<T>(
  needsIndex: boolean,
  until: number,
  ask: (index: AuditIndex) => T | Promise<T>,
  isRetried = false,
): Promise<T> {
  opened ??= openAudit();
  const index = opened;
  try {
    const needed = needsIndex ? await index.needed() : -1;
    for (let through = index.through(); through < needed; through = index.through()) {
      if (Date.now() >= until) throw stillBuilding(through, needed);
      nextStep ??= nextTurn()
        .then(() => index.step())
        .finally(() => {
          nextStep = undefined;
        });
      await nextStep;
    }
    return await ask(index);
  } catch (error) {
    if (isRetried || isClosed || !isRepaired(index, error)) throw error;
    return use(needsIndex, until, ask, true);
  }
}

function openAudit(): AuditIndex {
  if (start.node === null || start.postgres === null) return auditIndex(start, openIndex);
  return clusterIndex(start, { ...start.postgres, password: port && passwordFrom(port) }, (sentence) =>
    send({ note: sentence }),
  );
}

function openIndex(log: LogSource): LogIndex {
  const { postgres, indexFile: file } = start;
  if (postgres === null) return sqliteIndex(log, { file, isTemporary }, note);
  try {
    // It is from before the index was in PostgreSQL, and nothing would prune its texts.
    removeIndex(file);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
  }
  const password = port && passwordFrom(port);
  return postgresIndex(log, { ...postgres, password }, (sentence) => send({ note: sentence }));
}

function isRepaired(index: AuditIndex, error: unknown): boolean {
  // Another question has replaced it.
  if (index !== opened) return true;
  if (error instanceof StaleIndexError) {
    note(error.message);
    reset();
    return true;
  }
  if (!isDamage(error) && !isUnwritable(error)) return false;
  reset();
  if (isDamage(error)) removeIndex(start.indexFile);
  else isTemporary = true;
  const why = isDamage(error) ? 'it is damaged' : 'its file cannot be written';
  note(`${why} (${(error as Error).message})`);
  return true;
}

function reset(): void {
  opened?.close();
  opened = undefined;
}

function stillBuilding(through: number, needed: number): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the index of the audit log is being built (${through} of ${needed} events so far); try again in a moment`,
  );
}

function note(reason: string): void {
  send({ note: rebuilding(reason) });
}

function send(message: Reply): void {
  parentPort?.postMessage(message);
}
