import { SkillError } from '@ambit/core';
import { databaseAdvice } from '../../sqlite/database-advice.ts';

/**
 * Converts a database error to `AUDIT_UNAVAILABLE`, with a remedy and the cause. A `SkillError` is
 * returned unchanged.
 */
export function auditError(file: string, doing: 'written' | 'read', error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const then =
    doing === 'written' ? '; calls are refused until it can be written, because each needs a record' : '';
  return new SkillError(
    'AUDIT_UNAVAILABLE',
    `the audit log ${file} cannot be ${doing}: ${databaseAdvice(file, error)}${then}`,
    {
      cause: error,
    },
  );
}
