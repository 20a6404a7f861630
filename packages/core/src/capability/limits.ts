import { z } from 'zod';

const positive = z.int().positive();

/** Upper bounds for one call. Absent bounds come from the tier. */
export const RequestedLimits = z.strictObject({
  timeoutMs: positive.optional(),
  memoryBytes: positive.optional(),
  cpuMs: positive.optional(),
  processes: positive.optional(),
  fileBytes: positive.optional(),
  outputBytes: positive.optional(),
  fuel: positive.optional(),
});
export type RequestedLimits = z.output<typeof RequestedLimits>;

/** The bounds in force for one call. */
const Limits = z.strictObject({
  timeoutMs: z.number().describe('Wall-clock time.'),
  memoryBytes: z.number(),
  cpuMs: z.number(),
  processes: z.number(),
  /** Of each file that the call writes. */
  fileBytes: z.number(),
  outputBytes: z.number().describe('For the output and for the log separately.'),
  /** Tier `local` is unlimited by default. */
  fuel: z.number().nullable().describe('Weighted WebAssembly instructions; `null`: unlimited.'),
});
export type Limits = z.output<typeof Limits>;

/** The limits in an audit record. Records written before a limit existed lack it. */
export const RecordedLimits = Limits.extend({
  fileBytes: z
    .number()
    .exactOptional()
    .describe(
      'Maximum size of each file that the call writes. Absent in records made before this limit existed.',
    ),
}).meta({ id: 'Limits', description: 'The limits that applied to a call.' });
export type RecordedLimits = z.output<typeof RecordedLimits>;

/** The minimum of the ceiling and of every request, limit by limit. */
export function minimumLimits(ceiling: Limits, ...requests: readonly RequestedLimits[]): Limits {
  const least = (key: Exclude<keyof Limits, 'fuel'>): number =>
    Math.min(ceiling[key], ...requests.map((request) => request[key] ?? Number.POSITIVE_INFINITY));
  const fuel = Math.min(
    ceiling.fuel ?? Number.POSITIVE_INFINITY,
    ...requests.map((request) => request.fuel ?? Number.POSITIVE_INFINITY),
  );
  return {
    timeoutMs: least('timeoutMs'),
    memoryBytes: least('memoryBytes'),
    cpuMs: least('cpuMs'),
    processes: least('processes'),
    fileBytes: least('fileBytes'),
    outputBytes: least('outputBytes'),
    fuel: Number.isFinite(fuel) ? fuel : null,
  };
}
