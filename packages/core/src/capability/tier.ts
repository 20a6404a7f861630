import { z } from 'zod';
import { type LimitName, type LimitRange, type Limits, OperatorLimits } from './limits.ts';

/**
 * The trust in a skill's source. The operator's configuration or the install record sets it,
 * never the skill.
 */
export const Tier = z.enum(['local', 'verified', 'untrusted']);
export type Tier = z.output<typeof Tier>;

/** The schema of records and answers, with its name in the OpenAPI document. */
export const RecordedTier = Tier.meta({
  id: 'Tier',
  description: 'How far the operator trusts the source of a skill.',
});

/** The most that a tier allows, regardless of grants. */
export interface TierCeiling {
  /** `python` is Python in WebAssembly. */
  limits: Record<'process' | 'wasm' | 'python', LimitRange>;
  /** Whether skills may run as host programs. */
  processSkills: boolean;
  network: boolean;
  secrets: boolean;
  /** Whether skills may run with the rights of a user of the host. */
  host: boolean;
  /** Whether capabilities that stay inside the sandbox are granted on request. */
  insideAsRequested: boolean;
}

/** A limit of a tier: the maximum, or the default and the maximum. */
function tierLimit(value: z.ZodType<number, number | string>) {
  const both = z.strictObject({ default: value, max: value }).refine((range) => range.default <= range.max, {
    path: ['default'],
    message: 'larger than max; lower it, or raise max',
  });
  return z.union([value, both]).optional();
}

const { timeoutMs, memoryBytes, cpuMs, processes, fileBytes, outputBytes } = OperatorLimits.shape;

const ProgramLimits = z.strictObject({
  timeoutMs: tierLimit(timeoutMs.unwrap()),
  memoryBytes: tierLimit(memoryBytes.unwrap()),
  cpuMs: tierLimit(cpuMs.unwrap()),
  processes: tierLimit(processes.unwrap()),
  fileBytes: tierLimit(fileBytes.unwrap()),
  outputBytes: tierLimit(outputBytes.unwrap()),
});

/** The limits of programs that an operator sets, by tier. An absent one is the default. */
export const TierSettings = z.strictObject({
  local: ProgramLimits.optional(),
  verified: ProgramLimits.optional(),
  untrusted: z
    .never(
      'skills of the tier untrusted run no programs; set limits.timeoutMs, or grants.ID.limits of a skill',
    )
    .optional(),
});
export type TierSettings = z.output<typeof TierSettings>;

const MiB = 1024 * 1024;

/** The approximate number of instructions of the interpreter for one of a compiled module. */
const pythonFuelFactor = 40;

/**
 * Processor time for each unit of time, so that a program on many processors ends at its timeout. A skill in
 * WebAssembly has one thread.
 */
const programProcessors = 16;

type Range = readonly [normal: number, max: number];

/** Threads count too: numeric libraries start one for each processor. */
const programProcesses: Range = [128, 512];

/** The tables in docs/configuration.md. */
export const tierCeilings: Readonly<Record<Tier, TierCeiling>> = {
  local: ceiling({
    program: { memory: [512 * MiB, 2048 * MiB], timeoutMs: [60_000, 600_000] },
    wasm: { memory: 256 * MiB, timeoutMs: 60_000, fuel: null },
    fileBytes: [256 * MiB, 1024 * MiB],
    outputBytes: 16 * MiB,
    trusted: true,
    host: true,
  }),
  verified: ceiling({
    program: { memory: [512 * MiB, 1024 * MiB], timeoutMs: [60_000, 300_000] },
    wasm: { memory: 64 * MiB, timeoutMs: 30_000, fuel: 1_000_000_000 },
    fileBytes: [256 * MiB, 256 * MiB],
    outputBytes: 16 * MiB,
    trusted: true,
    host: false,
  }),
  untrusted: ceiling({
    program: { memory: [64 * MiB, 64 * MiB], timeoutMs: [10_000, 10_000] },
    wasm: { memory: 64 * MiB, timeoutMs: 10_000, fuel: 500_000_000 },
    fileBytes: [64 * MiB, 64 * MiB],
    outputBytes: MiB,
    trusted: false,
    host: false,
  }),
};

/** The tiers with the limits that an operator sets for their programs. */
export function tiersWith(settings: TierSettings): Readonly<Record<Tier, TierCeiling>> {
  return {
    ...tierCeilings,
    local: withPrograms(tierCeilings.local, settings.local),
    verified: withPrograms(tierCeilings.verified, settings.verified),
  };
}

function withPrograms(tier: TierCeiling, settings: TierSettings['local'] = {}): TierCeiling {
  const { process } = tier.limits;
  const range = { default: { ...process.default }, max: { ...process.max } };
  const set = (name: Exclude<LimitName, 'fuel'>, value: number | { default: number; max: number }): void => {
    const both =
      typeof value === 'number' ? { default: Math.min(process.default[name], value), max: value } : value;
    range.default[name] = both.default;
    range.max[name] = both.max;
  };
  const { timeoutMs, ...others } = settings;
  if (timeoutMs !== undefined) {
    set('timeoutMs', timeoutMs);
    range.default.cpuMs = programProcessors * range.default.timeoutMs;
    range.max.cpuMs = programProcessors * range.max.timeoutMs;
  }
  for (const name of ['memoryBytes', 'cpuMs', 'processes', 'fileBytes', 'outputBytes'] as const) {
    const value = others[name];
    if (value !== undefined) set(name, value);
  }
  return { ...tier, limits: { ...tier.limits, process: range } };
}

function ceiling(of: {
  program: { memory: Range; timeoutMs: Range };
  wasm: { memory: number; timeoutMs: number; fuel: number | null };
  fileBytes: Range;
  outputBytes: number;
  trusted: boolean;
  host: boolean;
}): TierCeiling {
  const { program, wasm } = of;
  const ofProgram = (index: 0 | 1): Limits => ({
    timeoutMs: program.timeoutMs[index],
    memoryBytes: program.memory[index],
    cpuMs: programProcessors * program.timeoutMs[index],
    processes: programProcesses[index],
    fileBytes: of.fileBytes[index],
    outputBytes: of.outputBytes,
    fuel: null,
  });
  const inWasm = (fuel: number | null): LimitRange => {
    const limits: Limits = {
      timeoutMs: wasm.timeoutMs,
      memoryBytes: wasm.memory,
      cpuMs: wasm.timeoutMs,
      processes: 64,
      fileBytes: of.fileBytes[1],
      outputBytes: of.outputBytes,
      fuel,
    };
    return { default: limits, max: limits };
  };
  return {
    limits: {
      process: { default: ofProgram(0), max: ofProgram(1) },
      wasm: inWasm(wasm.fuel),
      python: inWasm(wasm.fuel && pythonFuelFactor * wasm.fuel),
    },
    processSkills: of.trusted,
    network: of.trusted,
    secrets: of.trusted,
    host: of.host,
    insideAsRequested: of.trusted,
  };
}
