// The program of the reader thread, the only writer of the index.
import { parentPort, workerData } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import { auditError } from '../file/audit-error.ts';
import { toWire } from '../log/writer-protocol.ts';
import { type AuditIndex, auditIndex, isDamage } from './audit-index.ts';
import { isUnwritable } from './indexer/index-schema.ts';
import type { Question, ReaderMessage, ReaderStart } from './reader-protocol.ts';

/** A question, and how far the index must be to answer it. */
interface Waiting {
  question: Question;
  needs: number;
  until: number;
  /** Whether an index was already discarded for it. */
  isRetried: boolean;
}

/** How often the log is indexed without questions, so that a question finds little left to do. */
const idleMs = 1000;

const start = workerData as ReaderStart;
const waiting: Waiting[] = [];
let opened: AuditIndex | undefined;
let isPumping = false;

parentPort?.on('message', (question: Question | 'close') => {
  if (question === 'close') {
    close();
    return;
  }
  try {
    const head = index().head();
    const needs = ['events', 'head', 'scan', 'through'].includes(question.ask) ? 0 : head;
    waiting.push({ question, needs, until: Date.now() + start.waitMs, isRetried: false });
    pump();
  } catch (error) {
    refuse(question, error);
  }
});

const idle = setInterval(pump, idleMs);

function close(): void {
  clearInterval(idle);
  reset();
  parentPort?.close();
}

function index(): AuditIndex {
  opened ??= auditIndex(start, (reason) => send({ note: `rebuilding the audit index: ${reason}` }));
  return opened;
}

/**
 * Answers what can be answered, and indexes in steps to the end of the log, with other messages in
 * between.
 */
function pump(): void {
  if (isPumping) return;
  let behind = false;
  try {
    const through = index().through();
    for (const asked of waiting.splice(0)) serve(asked, through);
    behind = index().through() < index().head();
    if (behind) index().step();
  } catch (error) {
    failed(error);
    return;
  }
  if (!behind && waiting.length === 0) return;
  isPumping = true;
  setImmediate(() => {
    isPumping = false;
    // It may have been closed in between.
    if (opened !== undefined || waiting.length > 0) pump();
  });
}

function serve(asked: Waiting, through: number): void {
  const { question, needs, until } = asked;
  if (needs > through) {
    if (Date.now() < until) waiting.push(asked);
    else refuse(question, stillBuilding(through, needs));
    return;
  }
  try {
    send({ id: question.id, answer: answer(question) });
  } catch (error) {
    if (!isDamage(error) || asked.isRetried) refuse(question, error);
    else {
      waiting.push({ ...asked, isRetried: true });
      throw error;
    }
  }
}

function answer(question: Question): unknown {
  const asked = index();
  switch (question.ask) {
    case 'query':
      return asked.query(...question.with);
    case 'count':
      return asked.count(...question.with);
    case 'scan':
      return asked.scan(...question.with);
    case 'stats':
      return asked.stats(...question.with);
    case 'events':
      return asked.events(...question.with);
    case 'head':
      return asked.head();
    case 'through':
      return asked.through();
    default:
      return question satisfies never;
  }
}

/**
 * Rebuilds a damaged index, and replaces an unwritable one by a temporary one; waiting questions
 * are answered from that. Retries once per question, and then refuses it with the error.
 */
function failed(error: unknown): void {
  const repair = isDamage(error) ? 'discard' : isUnwritable(error) ? 'leave' : undefined;
  const isNew = waiting.some(({ isRetried }) => !isRetried);
  for (const asked of waiting) asked.isRetried = true;
  try {
    if (repair === undefined || !isNew) throw error;
    const why = repair === 'discard' ? 'it is damaged' : 'its file cannot be written';
    send({ note: `rebuilding the audit index: ${why} (${(error as Error).message})` });
    index()[repair]();
    setImmediate(pump);
  } catch (again) {
    reset();
    for (const { question } of waiting.splice(0)) refuse(question, again);
  }
}

/** The next question opens everything again. */
function reset(): void {
  opened?.close();
  opened = undefined;
}

function stillBuilding(through: number, needs: number): SkillError {
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the index of the audit log is being built (${through} of ${needs} events so far); try again in a moment`,
  );
}

function refuse({ id }: Question, error: unknown): void {
  send({ id, refused: toWire(auditError(start.file, 'read', error)) });
}

function send(message: ReaderMessage): void {
  parentPort?.postMessage(message);
}
