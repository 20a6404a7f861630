import { z } from 'zod';

/** Anybody may read it, so it says nothing else. */
export const Health = z
  .strictObject({ status: z.enum(['ok', 'unavailable']) })
  .meta({ id: 'Health', description: 'Whether the log can be read.' });
export type Health = z.output<typeof Health>;
