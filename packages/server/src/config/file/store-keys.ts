import { z } from 'zod';
import { orNull, section } from '../keys.ts';
import { postgresTarget } from './postgres-target.ts';

const milliseconds = z
  .int('write a number of milliseconds')
  .min(100, 'the minimum is 100')
  .max(600_000, 'the maximum is 600000');

const PostgresUrl = z.string().superRefine((text, context) => {
  const target = postgresTarget(text);
  if (typeof target === 'string') context.addIssue({ code: 'custom', message: target });
});

/** The keys of `store`, with the schemas of a path and of a secret's name. */
export function storeKeys(path: z.ZodType<string>, secretName: z.ZodType<string>) {
  return section(
    z.strictObject({
      postgres: orNull(
        z.strictObject({
          url: PostgresUrl.describe(
            "a database of PostgreSQL 15 or newer, such as `postgres://ambit@db.example:5432/ambit`; without it, the store is SQLite's file `store.db` in the data directory. A URL with a password or parameters is refused. A Unix socket is a host in percent encoding: `postgres://ambit@%2Frun%2Fpostgresql/ambit`",
          ),
          password: secretName
            .optional()
            .describe(
              'the name of the [secret](#permissions) with the password, which is read for each connection',
            ),
          tls: z
            .union(
              [z.literal(false), z.strictObject({ ca: path.optional(), verify: z.boolean().default(true) })],
              'write { ca: FILE }, { verify: false }, {} or false',
            )
            .optional()
            .meta({
              description:
                '`{ ca: FILE }` trusts the certificates in a PEM file; `{ verify: false }` encrypts without checking the server; `false` encrypts nothing',
              absent: '`{}`, or `false` if the host is this machine',
            }),
          poolSize: z
            .int('write a number of connections')
            .min(1)
            .max(1000)
            .default(10)
            .describe(
              '1 to 1000 connections. The daemon opens one more for its lock on the database, and three for the [audit index](audit.md#the-index-in-postgresql). A node of a cluster opens four more',
            ),
          statementTimeoutMs: milliseconds
            .default(10_000)
            .describe(
              '100 to 600000: how long a statement may take; half of it, how long it waits for a lock',
            ),
          connectTimeoutMs: milliseconds
            .default(5000)
            .describe('100 to 600000: how long an operation waits for a connection'),
        }),
      ).meta({ needsRestart: true }),
    }),
  );
}
