// The program of the thread that writes the log. It does one thing after another, so everything in it may block.
import { parentPort, workerData } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import type { Database } from 'better-sqlite3';
import { auditError } from '../audit-unavailable.ts';
import { beginPlan, continuePlan, endPlan } from '../keep/plan-pruning.ts';
import { allowPruning, pruneStep } from '../keep/prune-step.ts';
import type { AuditKey } from '../sign/audit-key.ts';
import { checkpointTable, checkpointWithinMs } from '../sign/checkpoint-table.ts';
import { logKey } from '../sign/log-key.ts';
import { readReceipt } from '../sign/read-receipt.ts';
import { signPruning } from '../sign/sign-pruning.ts';
import { type LogTable, logTable } from './log-table.ts';
import {
  type FileIdentity,
  identify,
  isSame,
  openLogFile,
  reopenLogFile,
  requireSame,
  walOf,
} from './open-log-file.ts';
import {
  type Appended,
  type LastDigests,
  toWire,
  type WriterAnswer,
  type WriterAnswers,
  type WriterReady,
  type WriterRequest,
  type WriterSigned,
  type WriterStart,
} from './writer-protocol.ts';

type Question = Exclude<WriterRequest, { kind: 'close' }>;

const { file, keyFile, opened: before } = workerData as WriterStart;
/** `undefined` after a failure that the connection may not have survived. */
let connection:
  | {
      database: Database;
      table: LogTable;
      key: AuditKey;
      wal: { path: string; identity: FileIdentity | undefined };
    }
  | undefined;
/** Runs while there are events that are not signed for. */
let untilSigned: NodeJS.Timeout | undefined;

const opened = start();
if (opened !== undefined) {
  parentPort?.on('message', (request: WriterRequest) => {
    if (request.kind === 'close') close();
    else parentPort?.postMessage(answer(request, opened));
  });
}

function start(): FileIdentity | undefined {
  try {
    connect(before === null ? openLogFile(file) : reopenLogFile(file, before));
    const found = before ?? identify(file);
    if (found === undefined) throw new Error(`${file} is gone`);
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
    parentPort?.postMessage({ signed } satisfies WriterSigned),
  );
  const wal = walOf(file);
  connection = { database, table, key, wal: { path: wal, identity: identify(wal) } };
  signSoon(table);
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

/** A log that cannot be written is signed for once it can, with what is written then. */
function sign(): void {
  try {
    connection?.table.checkpoint();
  } catch {
    // Whoever writes next is told why.
  }
}

function close(): void {
  clearTimeout(untilSigned);
  sign();
  connection?.database.close();
  parentPort?.close();
}

function answer(request: Question, identity: FileIdentity): WriterAnswer {
  try {
    requireSame(file, identity);
    const { table, key, database, wal } = connection ?? connect(reopenLogFile(file, identity));
    // Where it was is nearly always where it is, and to find that out takes a look at each folder on the way.
    if (!isSame(wal.path, wal.identity)) requireSame(walOf(file), wal.identity);
    const answer = answers[request.kind](table, request as never, { key, database });
    signSoon(table);
    return { answer };
  } catch (error) {
    if (!isPassing(error)) {
      connection?.database.close();
      connection = undefined;
    }
    return { failed: toWire(auditError(file, 'written', error)) };
  }
}

const answers = {
  append: (table, { rows }) => appended(table.append(rows)),
  'open-executions': (table) => table.openExecutions(),
  probe: (table, { writes }) => {
    if (writes) table.probe();
    return null;
  },
  'last-digests': (_table, _request, { database }) =>
    database.prepare<[], LastDigests[number]>('SELECT subject, digest FROM last_digests').all(),
  'plan-pruning': (_table, { rules, now }, { database }) => beginPlan(database, rules, now),
  'continue-plan': (_table, { progress }, { database }) => continuePlan(database, progress),
  'end-plan': (_table, { progress }, { database, key }) => {
    const plan = endPlan(database, progress);
    return plan && signPruning(database, key, plan);
  },
  prune: (_table, { plan }, { database }) => {
    if (plan !== null) allowPruning(database, plan);
    return pruneStep(database);
  },
  receipt: (_table, { executionId }, { database, key }) => readReceipt(database, key, executionId),
} satisfies {
  [Kind in Question['kind']]: (
    table: LogTable,
    request: Extract<WriterRequest, { kind: Kind }>,
    beside: { database: Database; key: AuditKey },
  ) => WriterAnswers[Kind];
};

function appended(places: ReturnType<LogTable['append']>): Appended {
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

/** Whether the same connection will do when the cause is gone. */
function isPassing(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    error instanceof SkillError ||
    code === 'SQLITE_FULL' ||
    (typeof code === 'string' && code.startsWith('SQLITE_BUSY'))
  );
}
