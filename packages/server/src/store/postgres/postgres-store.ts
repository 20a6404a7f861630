import { setTimeout as delay } from 'node:timers/promises';
import type { SkillError } from '@ambit/core';
import { type Operations, stepsOf } from '../operations.ts';
import type { Store } from '../store.ts';
import { storeError } from '../store-error.ts';
import { type Connections, openConnections } from './connections.ts';
import { type ExclusiveLock, takeExclusiveLock } from './exclusive-lock.ts';
import {
  isConflict,
  isReadOnly,
  isUnanswered,
  postgresAdvice,
  serverErrorOf,
  UnknownCommitError,
} from './postgres-advice.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { prepareSchema } from './prepare-schema.ts';
import { runTransaction } from './transaction.ts';

const triesMax = 5;

/**
 * The store in a database of PostgreSQL, each operation a transaction over the connections of a pool. `isShared`: other
 * stores may be open on the database. Rejects with `STORE_UNAVAILABLE` if the database cannot be used.
 */
export async function openPostgresStore(
  settings: PostgresSettings,
  { isShared = false }: { isShared?: boolean } = {},
): Promise<Store> {
  const refusal = (error: unknown): SkillError =>
    storeError(settings.target.shown, postgresAdvice(error), error);
  let connections: Connections | undefined;
  let lock: ExclusiveLock | undefined;
  try {
    connections = await openConnections(settings);
    if (!isShared) lock = await takeExclusiveLock(connections.single);
    await prepareSchema(connections);
    return postgresStore(settings, { connections, lock, refusal });
  } catch (error) {
    lock?.release();
    await connections?.close();
    throw refusal(error);
  }
}

interface Opened {
  connections: Connections;
  /** `undefined` if the database is shared. */
  lock: ExclusiveLock | undefined;
  refusal(error: unknown): SkillError;
}

function postgresStore(settings: PostgresSettings, { connections, lock, refusal }: Opened): Store {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  const attempt = async (name: keyof Operations, given: readonly unknown[]): Promise<unknown> => {
    await lock?.requireHeld();
    return runTransaction(await connectionOf(connections), stepsOf(name, given));
  };
  const run = async (name: keyof Operations, given: readonly unknown[]): Promise<unknown> => {
    const until = performance.now() + settings.statementTimeoutMs;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(name, given);
      } catch (error) {
        if (isReadOnly(error)) {
          connections.renew();
          lock?.renew();
        }
        if (!canRepeat(error) || tries === triesMax || performance.now() > until)
          throw refusal(error instanceof ConnectError ? error.cause : error);
        await delay(Math.random() * 10 * 2 ** tries);
      }
    }
  };
  return {
    run(name, ...given) {
      if (isClosed)
        return Promise.reject(
          storeError(settings.target.shown, 'it is closed because Ambit is shutting down'),
        );
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
      lock?.release();
      await connections.close();
    },
  };
}

/** There was no connection to run a transaction on. */
class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

async function connectionOf(connections: Connections): ReturnType<Connections['pooled']> {
  try {
    return await connections.pooled();
  } catch (cause) {
    throw new ConnectError('there is no connection', { cause });
  }
}

/** Whether nothing was changed, and another connection or another time may help. */
function canRepeat(error: unknown): boolean {
  if (error instanceof ConnectError || error instanceof UnknownCommitError || isUnanswered(error))
    return false;
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
