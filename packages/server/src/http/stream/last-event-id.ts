import { z } from 'zod';

/** `Last-Event-ID`: the id of the event after which a reader goes on; absent for one that begins. */
export const LastEventId = z
  .string()
  .regex(/^\d{1,15}$/, 'write the id of an event that came before: a whole number')
  .transform(Number)
  .optional();
