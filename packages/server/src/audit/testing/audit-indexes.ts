import { postgresDatabase, socketVariable } from '../../store/testing/postgres-databases.ts';
import type { ReadAuditLogOptions } from '../index/read-audit-log.ts';

/** A database that can have the index of a log. */
export interface TestIndex {
  name: string;
  /** The options to open a log with an index in an empty database. */
  options(): Promise<Pick<ReadAuditLogOptions, 'postgres'>>;
}

/** The contract of the audit reader holds for each of these. PostgreSQL is missing where its package has no binaries. */
export const auditIndexes: readonly TestIndex[] = [
  { name: 'SQLite', options: async () => ({}) },
  ...(process.env[socketVariable] === undefined
    ? []
    : [{ name: 'PostgreSQL', options: async () => ({ postgres: await postgresDatabase() }) }]),
];
