import { z } from 'zod';

/** `Last-Event-ID`: the id of the event to resume after; absent: start from the beginning. */
export const LastEventId = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an earlier event: a whole number')
  .transform(Number)
  .optional();
