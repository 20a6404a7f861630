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

/** The bounds in force for one call. `fuel: null` means unlimited. */
export interface Limits {
  /** Wall time. */
  timeoutMs: number;
  memoryBytes: number;
  cpuMs: number;
  processes: number;
  /** Of each file that the call writes. */
  fileBytes: number;
  /** Of the output, and again of the log. */
  outputBytes: number;
  /** Weighted WebAssembly instructions. Tier `local` is unlimited by default. */
  fuel: number | null;
}

/** The limits in an audit record. Records written before a limit existed lack it. */
export type RecordedLimits = Omit<Limits, 'fileBytes'> & Partial<Pick<Limits, 'fileBytes'>>;

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
