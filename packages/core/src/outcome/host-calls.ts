import { z } from 'zod';

/** A call of a host function. */
const HostCall = z
  .strictObject({
    name: z.string(),
    at: z.number().describe('When it began, in milliseconds since the epoch.'),
    durationMs: z.number(),
    result: z
      .enum(['returned', 'failed', 'denied', 'unanswered'])
      .describe(
        '`failed`: the skill received an error. `denied`: the grant does not allow it. `unanswered`: the call ended first.',
      ),
  })
  .meta({ id: 'HostCall', description: 'A call of a host function.' });
export type HostCall = z.output<typeof HostCall>;

/** The host functions that a WASM skill called. */
export const HostCalls = z
  .strictObject({
    listed: z.array(HostCall).readonly().describe('The first ones, in order of time.'),
    unlisted: z
      .number()
      .nullable()
      .describe(
        'The number of further calls; `null` if unknown, because the process of the run was ended before it reported.',
      ),
  })
  .meta({ id: 'HostCalls', description: 'The host functions that a WASM skill called.' });
export type HostCalls = z.output<typeof HostCalls>;

/** The length of the list, so no run can make its record large. */
export const hostCallsMax = 100;
