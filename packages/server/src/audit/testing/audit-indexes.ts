import type { AuditReader } from '@ambit/core/audit';
import type { AtEnd } from '../../store/testing/databases.ts';
import { postgresDatabase, socketVariable } from '../../store/testing/postgres-databases.ts';
import type { AuditLogOptions } from '../open-audit-log.ts';
import { asOneLog, heldLease, nodeKey } from './cluster-logs.ts';

/** A database that can have the index of a log. */
export interface TestIndex {
  name: string;
  /** The options to open a log with an index in an empty database, which `atEnd` empties; by default, when the test has finished. */
  options(atEnd?: AtEnd): Promise<Pick<AuditLogOptions, 'postgres' | 'node' | 'ships'>>;
  /** Returns the log with the members that the contract of a log covers. */
  view<Log extends AuditReader>(log: Log): Log;
}

const view = <Log>(log: Log): Log => log;
const hasPostgres = process.env[socketVariable] !== undefined;

/** The contract of the audit reader holds for each of these. PostgreSQL is missing where its package has no binaries. */
export const auditIndexes: readonly TestIndex[] = [
  { name: 'SQLite', options: async () => ({}), view },
  ...(hasPostgres
    ? [
        {
          name: 'PostgreSQL',
          options: async (atEnd?: AtEnd) => ({ postgres: await postgresDatabase(undefined, atEnd) }),
          view,
        },
      ]
    : []),
];

/** The same, and a node of a cluster. */
export const auditLogs: readonly TestIndex[] = [
  ...auditIndexes,
  ...(hasPostgres
    ? [
        {
          name: 'a cluster',
          async options(atEnd?: AtEnd) {
            const postgres = await postgresDatabase(undefined, atEnd);
            const ships = { answersWaitMs: 0, nodeKey: nodeKey(), lease: await heldLease(postgres, 1) };
            return { postgres, node: { node: 1, name: 'one' }, ships };
          },
          view: asOneLog,
        },
      ]
    : []),
];
