import { SkillError } from '@ambit/core';
import { auditSchemaName } from '../../../store/postgres/connections.ts';
import {
  postgresAdvice,
  serverErrorOf,
  UnknownCommitError,
} from '../../../store/postgres/postgres-advice.ts';
import type { PostgresSettings } from '../../../store/postgres/postgres-settings.ts';
import { transactionsIn } from '../../../store/postgres/transactions.ts';
import { type Row, type Statement, sql } from '../../../store/statement.ts';
import {
  blockSequences,
  type IndexMeta,
  type LogIndex,
  rebuilding,
  textSequences,
  whyUnusable,
} from '../log-index.ts';
import type { LogSource } from '../log-source.ts';
import { exactBlocksMax } from '../tally.ts';
import { fillStep } from './fill-step.ts';
import { postgresCalls, type Read } from './postgres-calls.ts';
import { postgresStats } from './postgres-stats.ts';

/** The index is not what this thread has filled: it was removed, or another log has it now. */
export class StaleIndexError extends Error {
  override readonly name = 'StaleIndexError';
}

const withoutTrigrams =
  'searching the texts of the audit log is slow, because its index has no trigrams. As the administrator of its database, run CREATE EXTENSION pg_trgm and DROP SCHEMA ambit_audit CASCADE; Ambit then rebuilds the index';

/** One to write, and two to read. */
const poolSize = 3;

/**
 * The index of a log in PostgreSQL. Connects with the first question; a failure refuses the question, and the next one tries
 * again. Several processes can fill it. An index of another log is emptied. `onNote` gets sentences for the operator.
 */
export function postgresIndex(
  log: LogSource,
  settings: PostgresSettings,
  onNote: (note: string) => void,
): LogIndex {
  const transactions = transactionsIn({ ...settings, poolSize }, { use: 'beside', schema: auditSchemaName });
  // The first step finds out.
  let through = -1;

  /** Steps that may have committed can run again: they read how far the index is. */
  const run = async <Result>(ask: () => Promise<Result>, isRepeated = false): Promise<Result> => {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof UnknownCommitError && !isRepeated) return run(ask, true);
      if (/^(42P01|3F000)$/.test(serverErrorOf(error)?.code ?? ''))
        throw new StaleIndexError('its tables were removed', { cause: error });
      throw new SkillError(
        'AUDIT_UNAVAILABLE',
        `the audit index in ${settings.target.shown} cannot be used: ${postgresAdvice(error)}`,
        { cause: error },
      );
    }
  };
  /** One round trip, as of one moment. */
  const read: Read = async <Found extends Row>(statement: Statement) => {
    const whole = sql`SELECT (SELECT json_build_object('logId', log_id, 'through', through, 'hash', hash) FROM meta) AS meta,
      (SELECT json_agg(found) FROM (${statement}) AS found) AS found`;
    const [row] = await run(() => transactions.read(whole));
    const meta = parsed<IndexMeta>(row?.['meta']);
    // A copy of the log has the same id.
    if (meta === undefined || meta.through < through || whyUnusable(log, meta) !== undefined)
      throw new StaleIndexError(
        'another log has its index in the same database; give each data directory a database of its own',
      );
    return parsed<Found[]>(row?.['found']) ?? [];
  };
  return {
    calls: postgresCalls(
      read,
      {
        last: () => through,
        block: blockSequences,
        texts: textSequences,
        hasNodes: false,
        before: (high, calls) => high - calls,
      },
      trigramFinder(read, onNote),
    ),
    stats: postgresStats(read, {
      block: blockSequences,
      isExact: async ({ blocks }) => blocks <= exactBlocksMax,
    }),
    // Exports and scans need no database.
    suggestedEnd: () => null,
    through: () => through,
    async step(upTo) {
      const step = await run(() => transactions.run(() => fillStep(log, upTo)));
      if (step.discarded !== undefined) onNote(rebuilding(step.discarded));
      through = step.through;
    },
    close: () => void transactions.close(),
  };
}

function parsed<Json>(text: unknown): Json | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as Json) : undefined;
}

/** Returns a function that finds out once whether the index has trigrams, and notes if not. */
export function trigramFinder(read: Read, onNote: (note: string) => void): () => Promise<boolean> {
  const find = async (): Promise<boolean> => {
    const [found] = await read<{ index: string | null }>(
      sql`SELECT to_regclass('texts_by_trigram') AS index`,
    );
    if (found?.index == null) onNote(withoutTrigrams);
    return found?.index != null;
  };
  let hasTrigrams: Promise<boolean> | undefined;
  return () => {
    hasTrigrams ??= find().catch((error: unknown) => {
      hasTrigrams = undefined;
      throw error;
    });
    return hasTrigrams;
  };
}
