import { setTimeout as delay } from 'node:timers/promises';
import type { Row, Statement, Transaction } from '../statement.ts';
import { type Connections, openConnections, type PooledConnection, schemaName } from './connections.ts';
import { type DaemonLock, type DatabaseUse, takeDaemonLock } from './daemon-lock.ts';
import { isConflict, isReadOnly, serverErrorOf, UnknownCommitError } from './postgres-advice.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { type AuditIndexKind, prepareSchema } from './prepare-schema.ts';
import { runReading, runTransaction } from './transaction.ts';

/** Transactions over the connections of a pool. */
export interface Transactions {
  /**
   * Runs steps in one transaction, and from their start again after a conflict or a lost connection. Rejects with an
   * `UnknownCommitError` if the changes may have been made; with any other error, none was.
   */
  run<Result>(steps: () => Transaction<Result>): Promise<Result>;
  /** Runs a statement that only reads, in one round trip. Tries again like `run`. */
  read(statement: Statement): Promise<readonly Row[]>;
  /** The connections of the pool. */
  load(): ReturnType<Connections['load']>;
  /** Ends the connections after the pending transactions. */
  close(): Promise<void>;
}

export interface TransactionsOptions {
  /** As what a daemon uses the database; `beside`: without a lock, beside a daemon. */
  use: DatabaseUse | 'beside';
  /** The schema of its tables; by default, the store's. */
  schema?: string;
  /** The kind of the audit index in the schema; by default, the index of one log. */
  index?: AuditIndexKind;
}

const triesMax = 5;

/** The first transaction connects. While that fails, transactions are rejected, and the next one tries again. */
export function transactionsIn(
  settings: PostgresSettings,
  { use, schema = schemaName, index = 'audit' }: TransactionsOptions,
): Transactions {
  const running = new Set<Promise<unknown>>();
  let opening: Promise<OpenDatabase> | undefined;
  let opened: OpenDatabase | undefined;

  const ready = (): Promise<OpenDatabase> => {
    opening ??= open(settings, { use, schema, index }).then(
      (now) => {
        opened = now;
        return now;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const start = <Result>(work: (connection: PooledConnection) => Promise<Result>): Promise<Result> => {
    const result = ready().then((now) => repeated(now, settings, work));
    running.add(result);
    const forget = (): void => void running.delete(result);
    result.then(forget, forget);
    return result;
  };
  return {
    run: (steps) => start((connection) => runTransaction(connection, steps())),
    read: (statement) => start((connection) => runReading(connection, statement)),
    load: () => opened?.connections.load() ?? { open: 0, idle: 0, waiting: 0 },
    async close() {
      await Promise.allSettled(running);
      opened?.lock?.release();
      await opened?.connections.close();
    },
  };
}

interface OpenDatabase {
  connections: Connections;
  lock: DaemonLock | undefined;
}

async function open(
  settings: PostgresSettings,
  { use, schema, index }: Required<TransactionsOptions>,
): Promise<OpenDatabase> {
  const connections = await openConnections(settings, schema);
  let lock: DaemonLock | undefined;
  try {
    if (use !== 'beside') lock = await takeDaemonLock(connections.single, use);
    await prepareSchema(connections, schema, index);
    return { connections, lock };
  } catch (error) {
    lock?.release();
    await connections.close();
    throw error;
  }
}

/** Does something in a connection, several times if it conflicts with others or if its connection is lost before it commits. */
async function repeated<Result>(
  { connections, lock }: OpenDatabase,
  { statementTimeoutMs }: PostgresSettings,
  work: (connection: PooledConnection) => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + statementTimeoutMs;
  for (let tries = 1; ; tries += 1) {
    await lock?.requireHeld();
    const connection = await connections.pooled();
    try {
      return await work(connection);
    } catch (error) {
      if (isReadOnly(error)) {
        connections.renew();
        lock?.renew();
      }
      if (!canRepeat(error) || tries === triesMax || performance.now() > until) throw error;
    }
    await delay(Math.random() * 10 * 2 ** tries);
  }
}

/** Whether nothing was changed, and another connection or another time may help. */
function canRepeat(error: unknown): boolean {
  if (error instanceof UnknownCommitError) return false;
  return isConflict(error) || isLost(error);
}

function isLost(error: unknown): boolean {
  const serverError = serverErrorOf(error);
  if (serverError !== undefined) return serverError.isFatal;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (
    code === 'ECONNRESET' || code === 'EPIPE' || /^Connection terminated|not queryable$/.test(String(message))
  );
}
