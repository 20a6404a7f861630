import { z } from 'zod';
import { Narrowing } from '../wire/narrowing.ts';
import { isReservedActor } from './reserved-actors.ts';
import { Scope } from './scope.ts';

/** The actor in the log. A used name cannot be reused, so that the log stays unambiguous. */
const KeyName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a key name has up to 64 letters, digits, ".", "_" and "-", and starts with a letter or digit',
  )
  .refine(
    (name) => !isReservedActor(name),
    'this name is reserved: the audit log could not tell the key from Ambit, its operator or its first key; choose another name',
  );

const Time = z.iso.datetime('must be a time such as 2026-01-31T08:00:00Z');

/**
 * The rights of a key. Without `skills` it may use all, without `ceiling` it has no upper bound,
 * without a rate it has no rate limit.
 */
const rights = {
  scopes: z.array(Scope).min(1, 'a key needs at least one scope'),
  skills: z
    .array(z.string().min(1).max(200))
    .min(1, 'name at least one skill, or leave "skills" out for all skills')
    .max(100, 'a key can be bound to at most 100 skills')
    .exactOptional(),
  ceiling: Narrowing.exactOptional(),
  ratePerMinute: z
    .int('must be an integer of at least 1')
    .min(1, 'must be an integer of at least 1')
    .max(1_000_000)
    .exactOptional(),
  /** The key is refused from then on; absent: it is valid until it is revoked. */
  expiresAt: Time.exactOptional(),
};

const metricsAreWhole = {
  path: ['skills'],
  message: 'the scope metrics covers all skills; leave "skills" or the scope out',
};

const decisionsAreWhole = {
  path: ['skills'],
  message: 'the scope approve decides about all skills; leave "skills" or the scope out',
};

const adminIsWhole = {
  path: ['skills'],
  message: 'the scope admin covers all skills; leave "skills" out, or use other scopes',
};

/** A key to create. A stored key may have the scope `metrics` for some skills; it never gets the metrics. */
export const KeyRequest = z
  .strictObject({ name: KeyName, ...rights })
  .refine(isWhole, adminIsWhole)
  .refine(({ scopes, skills }) => skills === undefined || !scopes.includes('metrics'), metricsAreWhole)
  .refine(({ scopes, skills }) => skills === undefined || !scopes.includes('approve'), decisionsAreWhole);
export type KeyRequest = z.output<typeof KeyRequest>;

/** A stored key, without the key itself. */
export const KeyRecord = z
  .strictObject({
    name: KeyName,
    ...rights,
    /** The digest of the key, hex. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 of 64 hexadecimal digits'),
    createdAt: Time,
    /**
     * Revoked keys are stored, so that their names stay reserved and their holders get a specific
     * error.
     */
    revokedAt: Time.exactOptional(),
  })
  .refine(isWhole, adminIsWhole);
export type KeyRecord = z.output<typeof KeyRecord>;

function isWhole({ scopes, skills }: { scopes: readonly Scope[]; skills?: readonly string[] }): boolean {
  return skills === undefined || !scopes.includes('admin');
}
