import { z } from 'zod';
import { Narrowing } from '../wire/narrowing.ts';
import { Scope } from './scope.ts';

/** The key of the first start: its name in listings, and how the log has always called it. No other has either. */
export const firstKeyName = 'first';
export const firstKeyActor = 'key';

/** The log has it as the actor; one that was ever given is not given again, so that it stays clear who called. */
const KeyName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name is at most 64 letters, digits, ".", "_" and "-", and begins with a letter or a digit',
  )
  .refine(
    (name) => name !== firstKeyName && name !== firstKeyActor,
    `"${firstKeyName}" and "${firstKeyActor}" are the key of the first start; take another name`,
  );

const Time = z.iso.datetime('write a time as in 2026-01-31T08:00:00Z');

/** What a key may do. An absent `skills` is all of them, an absent `ceiling` takes nothing away, without a rate there is none. */
const rights = {
  scopes: z.array(Scope).min(1, 'name at least one scope: without any a key is good for nothing'),
  skills: z
    .array(z.string().min(1).max(200))
    .min(1, 'name at least one skill, or leave "skills" out for all of them')
    .max(100, 'a key is bound to at most 100 skills')
    .exactOptional(),
  ceiling: Narrowing.exactOptional(),
  ratePerMinute: z
    .int('write a whole number from 1')
    .min(1, 'write a whole number from 1')
    .max(1_000_000)
    .exactOptional(),
  /** From then on it is refused; absent: it is good until it is revoked. */
  expiresAt: Time.exactOptional(),
};

const adminIsWhole = {
  path: ['skills'],
  message: 'admin is for everything: leave the skills out, or name other scopes',
};

/** A key that is to be made. */
export const KeyRequest = z.strictObject({ name: KeyName, ...rights }).refine(isWhole, adminIsWhole);
export type KeyRequest = z.output<typeof KeyRequest>;

/** A key as it is kept: everything but itself. */
export const KeyRecord = z
  .strictObject({
    name: KeyName,
    ...rights,
    /** Of the key's text, hex. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 is 64 hexadecimal digits'),
    createdAt: Time,
    /** It is kept, so that its name stays taken and whoever still has it is told. */
    revokedAt: Time.exactOptional(),
  })
  .refine(isWhole, adminIsWhole);
export type KeyRecord = z.output<typeof KeyRecord>;

/** The file `keys.json`. */
export const KeysFile = z
  .strictObject({ keys: z.array(KeyRecord).max(10_000) })
  .superRefine(({ keys }, context) => {
    for (const field of ['name', 'sha256'] as const) {
      const seen = new Set<string>();
      for (const [index, key] of keys.entries()) {
        if (seen.has(key[field]))
          context.addIssue({
            code: 'custom',
            path: ['keys', index, field],
            message: `another key has ${key[field]} already`,
          });
        seen.add(key[field]);
      }
    }
  });
export type KeysFile = z.output<typeof KeysFile>;

function isWhole({ scopes, skills }: { scopes: readonly Scope[]; skills?: readonly string[] }): boolean {
  return skills === undefined || !scopes.includes('admin');
}
