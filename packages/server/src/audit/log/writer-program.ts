// The program of the thread that writes the log. It handles one request at a time, so it may block.
import { parentPort } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';
import { type FileIdentity, identify, isSame } from '../../sqlite/file-identity.ts';
import { toWire } from '../../sqlite/thread-error.ts';
import { threadStart } from '../../threads/thread-start.ts';
import { auditError } from '../file/audit-error.ts';
import { requireHeld } from '../file/held-lock.ts';
import { beginPlan, continuePlan, endPlan } from '../retention/plan-pruning.ts';
import { allowPruning, pruneStep } from '../retention/prune-step.ts';
import { signPruning } from '../retention/sign-pruning.ts';
import type { AuditKey } from '../sign/audit-key.ts';
import { checkpointTable, checkpointWithinMs } from '../sign/checkpoint-table.ts';
import { logKey } from '../sign/log-key.ts';
import { readEventReceipt, readReceipt } from '../sign/read-receipt.ts';
import { growReserve } from './grow-reserve.ts';
import { logSpace } from './log-space.ts';
import { type LogTable, logTable } from './log-table.ts';
import { isFenced, takenOver } from './one-writer.ts';
import { openLogFile, reopenLogFile, requireSame, walOf } from './open-log-file.ts';
import type {
  AppendResult,
  LastDigests,
  WriterAnswer,
  WriterAnswers,
  WriterCheckpoint,
  WriterNote,
  WriterReady,
  WriterRequest,
  WriterStart,
} from './writer-protocol.ts';

type Question = Exclude<WriterRequest, { kind: 'close' }>;

const { file, keyFile, writer, lock, space, opened: before } = await threadStart<WriterStart>();
const watched =
  space &&
  logSpace(file, space, reusableBytes, (note) => parentPort?.postMessage({ note } satisfies WriterNote));
const reserveWaitMs = 1000;
const reservePauseMs = 50;
/** `undefined` after a failure that may have broken the connection. */
let connection:
  | {
      database: Database;
      table: LogTable;
      key: AuditKey;
      wal: { path: string; identity: FileIdentity | undefined };
    }
  | undefined;
/** Set while there are unsigned events. */
let untilSigned: NodeJS.Timeout | undefined;
/** Set while the reserve may have to grow. */
let untilReserved: NodeJS.Timeout | undefined;

const opened = start();
if (opened !== undefined) {
  parentPort?.on('message', (request: WriterRequest) => {
    if (request.kind === 'close') close();
    else parentPort?.postMessage(answer(request, opened));
  });
}

function start(): FileIdentity | undefined {
  try {
    requireLock();
    connect(before === null ? openLogFile(file, writer) : reopenLogFile(file, before, writer));
    const found = before ?? identify(file);
    if (found === undefined) throw new Error(`${file} does not exist any more`);
    parentPort?.postMessage({ opened: found } satisfies WriterReady);
    return found;
  } catch (error) {
    parentPort?.postMessage({ failed: toWire(auditError(file, 'written', error)) } satisfies WriterReady);
    return undefined;
  }
}

function connect(database: Database): typeof connection & object {
  const key = keyOf(database);
  const table = logTable(database, checkpointTable(database, key), (signed) =>
    parentPort?.postMessage({ signed } satisfies WriterCheckpoint),
  );
  const wal = walOf(file);
  connection = { database, table, key, wal: { path: wal, identity: identify(wal) } };
  signSoon(table);
  reserveSoon(wal);
  return connection;
}

function keyOf(database: Database): AuditKey {
  try {
    return logKey(database, keyFile);
  } catch (error) {
    database.close();
    throw error;
  }
}

function signSoon(table: LogTable): void {
  if (untilSigned !== undefined || !table.isUnsigned()) return;
  untilSigned = setTimeout(() => {
    untilSigned = undefined;
    sign();
  }, checkpointWithinMs);
}

/** If the log cannot be written now, its events are signed with the next ones. */
function sign(): void {
  try {
    requireLock();
    connection?.table.checkpoint();
  } catch {
    // The next writer gets the error.
  }
}

/** Grows the reserve after the first requests, and in steps, with events written in between. */
function reserveSoon(wal: string, waitMs = reserveWaitMs): void {
  if (space === null || untilReserved !== undefined) return;
  untilReserved = setTimeout(() => {
    untilReserved = undefined;
    try {
      if (growReserve(wal, space)) reserveSoon(wal, reservePauseMs);
    } catch {
      // Calls do not need the reserve, and a metric shows its size.
    }
  }, waitMs);
}

function close(): void {
  clearTimeout(untilSigned);
  clearTimeout(untilReserved);
  sign();
  connection?.database.close();
  parentPort?.close();
}

function answer(request: Question, identity: FileIdentity): WriterAnswer {
  try {
    requireLock();
    requireSame(file, identity);
    const { table, key, database, wal } = connection ?? connect(reopenLogFile(file, identity, writer));
    // Its location rarely changes, and resolving it reads each folder on the path.
    if (!isSame(wal.path, wal.identity)) requireSame(walOf(file), wal.identity);
    const answer = answers[request.kind](table, request as never, { key, database });
    signSoon(table);
    reserveSoon(wal.path);
    return { answer };
  } catch (error) {
    if (!isPassing(error)) {
      connection?.database.close();
      connection = undefined;
    }
    const failure = isFenced(error) ? takenOver(file, error) : error;
    return { failed: toWire(auditError(file, 'written', failure)) };
  }
}

/** All threads of a process share its descriptors. */
function requireLock(): void {
  if (lock !== null) requireHeld(lock);
}

const answers = {
  append: (table, { rows }) => appended(table.append(rows, watched?.refusal())),
  'open-executions': (table) => table.openExecutions(),
  probe: (table, { writes }) => {
    if (writes) table.probe();
    return null;
  },
  room: () => watched?.room() ?? 'enough',
  'last-digests': (_table, _request, { database }) =>
    database.prepare<[], LastDigests[number]>('SELECT subject, digest FROM last_digests').all(),
  'plan-pruning': (_table, { rules, now }, { database }) => beginPlan(database, rules, now),
  'continue-plan': (_table, { progress }, { database }) => continuePlan(database, progress),
  'end-plan': (_table, { progress }, { database, key }) => {
    const plan = endPlan(database, progress);
    return plan && signPruning(database, key, plan);
  },
  prune: (_table, { plan }, { database }) => {
    if (watched?.room() === 'short') requireCheckpoint(database);
    if (plan !== null) allowPruning(database, plan);
    return pruneStep(database);
  },
  receipt: (_table, { executionId }, { database, key }) => readReceipt(database, key, executionId),
  'event-receipt': (_table, { sequence }, { database, key }) => readEventReceipt(database, key, sequence),
  sign: (table) => {
    if (table.isUnsigned()) table.checkpoint();
    return null;
  },
} satisfies {
  [Kind in Question['kind']]: (
    table: LogTable,
    request: Extract<WriterRequest, { kind: Kind }>,
    beside: { database: Database; key: AuditKey },
  ) => WriterAnswers[Kind];
};

function appended(places: ReturnType<LogTable['append']>): AppendResult {
  const hashes = new Uint8Array(places.length * 32);
  const refused: { index: number; error: ReturnType<typeof toWire> }[] = [];
  let [first, accepted] = [0, 0];
  for (const [index, place] of places.entries()) {
    if (place instanceof SkillError) {
      refused.push({ index, error: toWire(place) });
      continue;
    }
    if (accepted === 0) first = place.sequence;
    hashes.set(place.hash, 32 * accepted++);
  }
  return { first, hashes, refused };
}

/** SQLite uses free pages of the log before the file grows. */
function reusableBytes(): number {
  const pragma = (name: string): number => Number(connection?.database.pragma(name, { simple: true }) ?? 0);
  return pragma('freelist_count') * pragma('page_size');
}

/**
 * Deleting needs space in the write-ahead log. The reserve there may only be used if a checkpoint
 * frees it again.
 */
function requireCheckpoint(database: Database): void {
  const [done] = database.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
  if (done === undefined || done.checkpointed < done.log)
    throw new SkillError(
      'AUDIT_UNAVAILABLE',
      `the disk of the audit log ${file} is too full to prune it; free some space`,
    );
}

/** Whether the same connection works again once the cause is gone. */
function isPassing(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    error instanceof SkillError ||
    code === 'SQLITE_FULL' ||
    (typeof code === 'string' && code.startsWith('SQLITE_BUSY'))
  );
}
