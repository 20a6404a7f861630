import { KeyTime, keyRights, type Scope } from '@ambit/api';
import { z } from 'zod';
import { isReservedActor } from './reserved-actors.ts';

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
  .strictObject({ name: KeyName, ...keyRights })
  .refine(isWhole, adminIsWhole)
  .refine(({ scopes, skills }) => skills === undefined || !scopes.includes('metrics'), metricsAreWhole)
  .refine(({ scopes, skills }) => skills === undefined || !scopes.includes('approve'), decisionsAreWhole);
export type KeyRequest = z.output<typeof KeyRequest>;

/** A stored key, without the key itself. */
export const KeyRecord = z
  .strictObject({
    name: KeyName,
    ...keyRights,
    /** The digest of the key, hex. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 of 64 hexadecimal digits'),
    createdAt: KeyTime,
    /**
     * Revoked keys are stored, so that their names stay reserved and their holders get a specific
     * error.
     */
    revokedAt: KeyTime.exactOptional(),
  })
  .refine(isWhole, adminIsWhole);
export type KeyRecord = z.output<typeof KeyRecord>;

function isWhole({ scopes, skills }: { scopes: readonly Scope[]; skills?: readonly string[] }): boolean {
  return skills === undefined || !scopes.includes('admin');
}
