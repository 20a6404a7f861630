import type { SkillError } from '@ambit/core';
import { stepsOf } from '../operations.ts';
import type { Store } from '../store.ts';
import { storeError } from '../store-error.ts';
import { postgresAdvice } from './postgres-advice.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { type TransactionsOptions, transactionsIn } from './transactions.ts';

/**
 * The store in a database of PostgreSQL, each operation a transaction. The first operation connects. While that fails,
 * operations are refused, and the next one tries again.
 */
export function openPostgresStore(
  settings: PostgresSettings,
  options: TransactionsOptions = { use: 'alone' },
): Store {
  const transactions = transactionsIn(settings, options);
  let closing: Promise<void> | undefined;
  const refused = (why: string, cause?: unknown): SkillError => storeError(settings.target.shown, why, cause);
  return {
    async run(name, ...given) {
      if (closing !== undefined) throw refused('it is closed because Ambit is shutting down');
      try {
        return (await transactions.run(() => stepsOf(name, given))) as never;
      } catch (error) {
        throw refused(postgresAdvice(error), error);
      }
    },
    load: transactions.load,
    close() {
      closing ??= transactions.close();
      return closing;
    },
  };
}
