import { z } from 'zod';

/** What lies on disk for one idempotency key. */
export const Claim = z.strictObject({
  version: z.literal(1),
  /** The call that has the key. */
  executionId: z.string(),
  /** Digest of what was asked for. */
  fingerprint: z.string(),
  /** Milliseconds since the epoch. */
  claimedAt: z.number(),
  /** `null` while it runs; and for ever, when it was broken off or its answer had no room. */
  ending: z
    .strictObject({
      kind: z.enum(['result', 'problem']),
      status: z.int(),
      headers: z.record(z.string(), z.string()),
      text: z.string(),
      outcome: z.string(),
      ran: z.boolean(),
    })
    .nullable(),
});
export type Claim = z.output<typeof Claim>;
