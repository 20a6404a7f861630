import { z } from 'zod';
import { byteAmount, countAmount, timeAmount } from './amount.ts';

const positive = z.int().positive();

/** The limits that a skill or a caller asks for. An absent limit is the default. */
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

/** The longest delay of a timer. */
const timeMsMax = 2 ** 31 - 1;

/** The same limits in a configuration, where bytes and times can have units: `512MiB`, `10m`. */
export const OperatorLimits = z.strictObject({
  timeoutMs: timeAmount(timeMsMax).optional(),
  memoryBytes: byteAmount().optional(),
  cpuMs: timeAmount().optional(),
  /** Linux has no more process ids on most machines. */
  processes: countAmount(32_768).optional(),
  fileBytes: byteAmount().optional(),
  /** The daemon holds it in memory, and text of twice the size is too long for JavaScript. */
  outputBytes: byteAmount(256 * 1024 * 1024).optional(),
  fuel: countAmount().optional(),
});

/** The limits in force for one call, and in its record. */
export const Limits = z
  .strictObject({
    timeoutMs: z.number().describe('Wall-clock time.'),
    memoryBytes: z.number(),
    cpuMs: z.number(),
    processes: z.number(),
    fileBytes: z.number().describe('Maximum size of each file that the call writes.'),
    outputBytes: z.number().describe('For the output and for the log separately.'),
    /** Tier `local` is unlimited by default. */
    fuel: z.number().nullable().describe('Weighted WebAssembly instructions; `null`: unlimited.'),
  })
  .meta({ id: 'Limits', description: 'The limits that applied to a call.' });
export type Limits = z.output<typeof Limits>;
/** The name of a limit, as configuration and calls write it. */
export type LimitName = keyof Limits;

/** The limits of a call for which no others are requested, and the most that it can get. */
export interface LimitRange {
  readonly default: Limits;
  readonly max: Limits;
}

/** The same in an answer. */
export const CallLimits = z.strictObject({ default: Limits, max: Limits }).meta({
  id: 'CallLimits',
  description: 'What a call gets without `limits` of its own, and the most that it can ask for.',
});

/** Everything that decides about the limits of a call. */
export interface LimitSources {
  /** The limits of the skill's tier. */
  readonly tier: LimitRange;
  /** The operator's limits for this skill. They replace the default and the maximum of the tier. */
  readonly granted: RequestedLimits;
  readonly skill: RequestedLimits;
  /** Takes precedence over the skill. */
  readonly call: RequestedLimits;
  /** The operator's bounds for the calls of all skills. */
  readonly every: RequestedLimits;
  /** The limits of the caller's key. */
  readonly key: RequestedLimits;
  /** The memory that all runs share. A default is at most that; what is asked for is not reduced. */
  readonly memoryShareBytes: number | undefined;
}

/** The limits of a call: what it or its skill asks for, or the default, and never more than what bounds it. */
export function limitsOf(sources: LimitSources): Limits {
  const value = (name: LimitName, timeoutMs?: number): number => {
    const bounds = Object.values(boundsOf(sources, name)).map((bound) => bound ?? Number.POSITIVE_INFINITY);
    return Math.min(requestedLimit(sources, name) ?? defaultOf(sources, name, timeoutMs), ...bounds);
  };
  const timeoutMs = value('timeoutMs');
  const fuel = value('fuel');
  return {
    timeoutMs,
    memoryBytes: value('memoryBytes'),
    cpuMs: value('cpuMs', timeoutMs),
    processes: value('processes'),
    fileBytes: value('fileBytes'),
    outputBytes: value('outputBytes'),
    fuel: Number.isFinite(fuel) ? fuel : null,
  };
}

/** Returns the limit that the call, or else the skill, asks for. */
export function requestedLimit({ call, skill }: LimitSources, name: LimitName): number | undefined {
  return call[name] ?? skill[name];
}

/** The bounds of a limit. Absent: none. */
export function boundsOf(
  { tier, granted, every, key }: LimitSources,
  name: LimitName,
): Record<'max' | 'every' | 'key', number | undefined> {
  return { max: granted[name] ?? maxOf(tier, granted, name), every: every[name], key: key[name] };
}

/** A longer time for one skill brings processor time in proportion. */
function maxOf(tier: LimitRange, { timeoutMs = 0 }: RequestedLimits, name: LimitName): number | undefined {
  const max = tier.max[name] ?? undefined;
  return name === 'cpuMs' ? Math.max(tier.max.cpuMs, Math.ceil(processorsOf(tier) * timeoutMs)) : max;
}

function defaultOf(
  { tier, granted, memoryShareBytes = Number.POSITIVE_INFINITY }: LimitSources,
  name: LimitName,
  timeoutMs: number | undefined,
): number {
  const set = granted[name];
  if (set !== undefined) return set;
  if (name === 'cpuMs' && timeoutMs !== undefined) return Math.ceil(processorsOf(tier) * timeoutMs);
  if (name === 'memoryBytes') return Math.min(tier.default.memoryBytes, memoryShareBytes);
  return tier.default[name] ?? Number.POSITIVE_INFINITY;
}

/** The processors that a call can use until its timeout. */
function processorsOf({ default: { cpuMs, timeoutMs } }: LimitRange): number {
  return cpuMs / timeoutMs;
}
