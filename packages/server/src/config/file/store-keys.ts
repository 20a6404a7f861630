import { z } from 'zod';
import { postgresTarget } from './postgres-target.ts';

const milliseconds = z
  .int('write a number of milliseconds')
  .min(100, 'the minimum is 100')
  .max(600_000, 'the maximum is 600000');

const PostgresUrl = z.string().superRefine((text, context) => {
  const target = postgresTarget(text);
  if (typeof target === 'string') context.addIssue({ code: 'custom', message: target });
});

/** The keys of `store` in a configuration file, with the schemas of a path and of a secret's name. */
export function storeKeys(path: z.ZodType<string>, secretName: z.ZodType<string>) {
  return z.strictObject({
    postgres: z
      .strictObject({
        url: PostgresUrl,
        password: secretName.optional(),
        tls: z
          .union(
            [z.literal(false), z.strictObject({ ca: path.optional(), verify: z.boolean().default(true) })],
            'write { ca: FILE }, { verify: false }, {} or false',
          )
          .optional(),
        poolSize: z.int('write a number of connections').min(1).max(1000).default(10),
        statementTimeoutMs: milliseconds.default(10_000),
        connectTimeoutMs: milliseconds.default(5000),
      })
      .optional(),
  });
}

/** How the store reaches PostgreSQL. */
export type PostgresKeys = NonNullable<z.output<ReturnType<typeof storeKeys>>['postgres']>;
