import { z } from 'zod';

/** The number of matching records. */
export const RecordCount = z
  .strictObject({ count: z.number() })
  .meta({ id: 'Count', description: 'The number of matching records.' });

/** The `data` of a followed event. */
export const FollowedEvent = z
  .strictObject({
    sequence: z.number(),
    hash: z.string(),
    event: z
      .looseObject({ kind: z.string(), time: z.number().describe('Milliseconds since the epoch.') })
      .describe('The event as written. Its other fields depend on its kind.'),
  })
  .meta({ id: 'FollowedEvent', description: 'An event of the log, as it was written.' });
