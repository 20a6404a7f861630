import { z } from 'zod';
import type { Limits } from './limits.ts';

/**
 * How much a skill's source is trusted. The operator's configuration or the install record sets it,
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
  limits: Record<'process' | 'wasm' | 'python', Limits>;
  /** Whether skills may run as host programs. */
  processSkills: boolean;
  network: boolean;
  secrets: boolean;
  /** Whether skills may run with the rights of a user of the host. */
  host: boolean;
  /** Whether capabilities that stay inside the sandbox are granted on request. */
  insideAsRequested: boolean;
}

const MiB = 1024 * 1024;

/** About the instructions that the interpreter takes for what a compiled module does in one. */
const pythonFuelFactor = 40;

/** The table in docs/configuration.md. */
export const tierCeilings: Readonly<Record<Tier, TierCeiling>> = {
  local: ceiling({
    memory: 256 * MiB,
    outputBytes: 16 * MiB,
    fileBytes: 1024 * MiB,
    timeoutMs: 60_000,
    fuel: null,
    trusted: true,
    host: true,
  }),
  verified: ceiling({
    memory: 64 * MiB,
    outputBytes: 16 * MiB,
    fileBytes: 256 * MiB,
    timeoutMs: 30_000,
    fuel: 1_000_000_000,
    trusted: true,
  }),
  untrusted: ceiling({
    memory: 64 * MiB,
    outputBytes: MiB,
    fileBytes: 64 * MiB,
    timeoutMs: 10_000,
    fuel: 500_000_000,
    trusted: false,
  }),
};

function ceiling(of: {
  memory: number;
  outputBytes: number;
  fileBytes: number;
  timeoutMs: number;
  fuel: number | null;
  trusted: boolean;
  host?: boolean;
}): TierCeiling {
  const limits: Limits = {
    timeoutMs: of.timeoutMs,
    memoryBytes: of.memory,
    cpuMs: of.timeoutMs,
    processes: 64,
    fileBytes: of.fileBytes,
    outputBytes: of.outputBytes,
    fuel: of.fuel,
  };
  return {
    limits: {
      process: { ...limits, fuel: null },
      wasm: limits,
      python: { ...limits, fuel: of.fuel && pythonFuelFactor * of.fuel },
    },
    processSkills: of.trusted,
    network: of.trusted,
    secrets: of.trusted,
    host: of.host ?? false,
    insideAsRequested: of.trusted,
  };
}
