import { z } from 'zod';
import { Narrowing } from './narrowing.ts';
import { Scope } from './scope.ts';

/** A time of a key. */
export const KeyTime = z.iso.datetime('must be a time such as 2026-01-31T08:00:00Z');

/**
 * The rights of a key. Without `skills` it may use all, without `ceiling` it has no upper bound,
 * without a rate it has no rate limit.
 */
export const keyRights = {
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
  expiresAt: KeyTime.exactOptional(),
};
