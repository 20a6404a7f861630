import { setTimeout as delay } from 'node:timers/promises';
import type { SkillError } from '@ambit/core';
import { type Operations, stepsOf } from '../operations.ts';
import type { Transaction } from '../statement.ts';
import type { Store } from '../store.ts';
import { storeError } from '../store-error.ts';
import { type Connections, openConnections } from './connections.ts';
import { type ExclusiveLock, takeExclusiveLock } from './exclusive-lock.ts';
import {
  isConflict,
  isReadOnly,
  postgresAdvice,
  serverErrorOf,
  UnknownCommitError,
} from './postgres-advice.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { prepareSchema } from './prepare-schema.ts';
import { runTransaction } from './transaction.ts';

const triesMax = 5;

/**
 * The store in a database of PostgreSQL, each operation a transaction over the connections of a pool. The first operation
 * connects. While that fails, operations are refused, and the next one tries again. `isShared`: other stores may be open on
 * the database.
 */
export function openPostgresStore(
  settings: PostgresSettings,
  { isShared = false }: { isShared?: boolean } = {},
): Store {
  const refused = (why: string, cause?: unknown): SkillError => storeError(settings.target.shown, why, cause);
  const running = new Set<Promise<unknown>>();
  let opening: Promise<Opened> | undefined;
  let isClosed = false;

  const opened = (): Promise<Opened> => {
    opening ??= open(settings, isShared).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const run = async (name: keyof Operations, given: readonly unknown[]): Promise<unknown> => {
    try {
      return await repeated(await opened(), settings, () => stepsOf(name, given));
    } catch (error) {
      throw refused(postgresAdvice(error), error);
    }
  };
  return {
    run(name, ...given) {
      if (isClosed) return Promise.reject(refused('it is closed because Ambit is shutting down'));
      const asked = run(name, given);
      running.add(asked);
      const forget = (): void => void running.delete(asked);
      asked.then(forget, forget);
      return asked as Promise<never>;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(running);
      const open = await opening;
      open?.lock?.release();
      await open?.connections.close();
    },
  };
}

interface Opened {
  connections: Connections;
  /** `undefined` if the database is shared. */
  lock: ExclusiveLock | undefined;
}

async function open(settings: PostgresSettings, isShared: boolean): Promise<Opened> {
  const connections = await openConnections(settings);
  let lock: ExclusiveLock | undefined;
  try {
    if (!isShared) lock = await takeExclusiveLock(connections.single);
    await prepareSchema(connections);
    return { connections, lock };
  } catch (error) {
    lock?.release();
    await connections.close();
    throw error;
  }
}

/** Runs a transaction, several times if it conflicts with others or if its connection is lost before it commits. */
async function repeated<Result>(
  { connections, lock }: Opened,
  { statementTimeoutMs }: PostgresSettings,
  steps: () => Transaction<Result>,
): Promise<Result> {
  const until = performance.now() + statementTimeoutMs;
  for (let tries = 1; ; tries += 1) {
    await lock?.requireHeld();
    const connection = await connections.pooled();
    try {
      return await runTransaction(connection, steps());
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
  const told = serverErrorOf(error);
  if (told !== undefined) return told.isFatal;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (
    code === 'ECONNRESET' || code === 'EPIPE' || /^Connection terminated|not queryable$/.test(String(message))
  );
}
