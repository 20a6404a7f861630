import { z } from 'zod';

/** One request of a call, or one tunnel that was not inspected, as recorded. */
export const EgressConnection = z
  .strictObject({
    host: z.string(),
    port: z.number(),
    method: z.string().nullable().describe('`null` if it was not observed.'),
    path: z.string().nullable().describe('Without the query; `null` if it was not observed.'),
    /** Bodies of requests, or everything in a tunnel. */
    bytesUp: z.number(),
    bytesDown: z.number(),
    decision: z.enum(['allowed', 'denied']),
    /** On one line. */
    rule: z.string().nullable().describe('The rule that decided; `null` if no rule matched.'),
    at: z.number().describe('When it began, in milliseconds since the epoch.'),
    durationMs: z.number().describe('Until the response, the tunnel or the call ended.'),
    status: z
      .number()
      .exactOptional()
      .describe('The HTTP status of the response. Absent if no response was observed.'),
    secrets: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .describe('The names of the secrets that were inserted into it. Absent: none.'),
  })
  .meta({ id: 'Connection', description: 'A network connection that a call made or tried to make.' });
export type EgressConnection = z.output<typeof EgressConnection>;
