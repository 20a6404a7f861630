import Sqlite from 'better-sqlite3';
import { auditError } from '../file/audit-unavailable.ts';
import { type PrunePlan, type PruneRules, planPruning } from './plan-pruning.ts';

/**
 * What these rules would remove next. Changes nothing, and works while a daemon writes to the log.
 * `undefined` for nothing. Throws `AUDIT_UNAVAILABLE` if the log cannot be read.
 */
export function previewPruning(file: string, rules: PruneRules, now: number): PrunePlan | undefined {
  try {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
    try {
      return planPruning(database, rules, now);
    } finally {
      database.close();
    }
  } catch (error) {
    throw auditError(file, 'read', error);
  }
}
