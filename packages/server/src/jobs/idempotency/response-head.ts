import { z } from 'zod';

/** A response without its body, as it is stored. */
export const ResponseHead = z.strictObject({
  kind: z.enum(['result', 'problem']),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  outcome: z.string(),
  ran: z.boolean(),
});
