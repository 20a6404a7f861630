import type { Row, Statement, Transaction } from '../statement.ts';
import type { Connection, PooledConnection } from './connections.ts';
import { serverErrorOf, UnknownCommitError } from './postgres-advice.ts';

/**
 * Runs the steps of a transaction, and releases or drops the connection. Rejects with an `UnknownCommitError` if the changes
 * may have been made; with any other error, none was.
 */
export async function runTransaction<Result>(
  connection: PooledConnection,
  steps: Transaction<Result>,
): Promise<Result> {
  let result: Result;
  try {
    await connection.command('BEGIN ISOLATION LEVEL READ COMMITTED');
    result = await runSteps(connection, steps);
  } catch (error) {
    await rollBack(connection, error);
    throw error;
  }
  try {
    const command = await connection.command('COMMIT');
    // The answer to a transaction that had failed is ROLLBACK.
    if (command !== 'COMMIT') throw new Error(`the answer to COMMIT was ${command}`);
  } catch (error) {
    connection.drop();
    if (serverErrorOf(error)?.isUndone) throw error;
    throw new UnknownCommitError('the outcome of a commit is unknown', { cause: error });
  }
  connection.release();
  return result;
}

/** Runs a statement that only reads, without a transaction, and releases or drops the connection. */
export async function runReading(
  connection: PooledConnection,
  statement: Statement,
): Promise<readonly Row[]> {
  try {
    const rows = await connection.rowsOf(statement);
    connection.release();
    return rows;
  } catch (error) {
    await rollBack(connection, error);
    throw error;
  }
}

/** Runs steps in the current transaction. */
async function runSteps<Result>(connection: Connection, steps: Transaction<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next(await connection.rowsOf(step.value));
  return step.value;
}

async function rollBack(connection: PooledConnection, error: unknown): Promise<void> {
  const serverError = serverErrorOf(error);
  // The failure is in the connection, or in the steps themselves, after which it is not worth saving.
  if (serverError === undefined || serverError.isFatal) return connection.drop();
  try {
    await connection.command('ROLLBACK');
    connection.release();
  } catch {
    connection.drop();
  }
}
