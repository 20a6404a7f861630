import { z } from 'zod';

const positive = z.int().positive();

/** Upper bounds for one call. Absent means: no wish; the ceiling of the tier holds. */
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

/** The bounds that hold for one call. `fuel: null` is unlimited. */
export interface Limits {
  /** Wall time. */
  timeoutMs: number;
  memoryBytes: number;
  cpuMs: number;
  processes: number;
  /** Maximum size of each file the call writes. */
  fileBytes: number;
  /** For the output and for the log, each. */
  outputBytes: number;
  /** WebAssembly instructions, weighted; only the tiers below `local` are bounded. */
  fuel: number | null;
}

/** The limits in an audit record. Records made before a limit existed lack it. */
export type RecordedLimits = Omit<Limits, 'fileBytes'> & Partial<Pick<Limits, 'fileBytes'>>;

/** The minimum of a ceiling and every wish, limit by limit. */
export function minimumLimits(ceiling: Limits, ...wishes: readonly RequestedLimits[]): Limits {
  const least = (key: Exclude<keyof Limits, 'fuel'>): number =>
    Math.min(ceiling[key], ...wishes.map((wish) => wish[key] ?? Number.POSITIVE_INFINITY));
  const fuel = Math.min(
    ceiling.fuel ?? Number.POSITIVE_INFINITY,
    ...wishes.map((wish) => wish.fuel ?? Number.POSITIVE_INFINITY),
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
