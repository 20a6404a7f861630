import { availableMemoryBytes } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import type { Machine } from '../setup/machine.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** The memory that all runs share, and whether the kernel enforces it. */
export function memoryCheck(
  { memoryShareBytes }: Pick<Config['capacity'], 'memoryShareBytes'>,
  { process: sandbox }: Pick<Machine, 'process'>,
): DoctorCheck {
  const found = `${mebibytes(memoryShareBytes)} of ${mebibytes(availableMemoryBytes())} for all runs together`;
  if (sandbox.limitAll?.(memoryShareBytes) === true)
    return {
      name: 'memory',
      status: 'ok',
      found,
      meaning: 'calls wait until their memory is free, and the kernel limits all runs together',
    };
  return {
    name: 'memory',
    status: 'limited',
    found,
    meaning:
      'calls wait until their memory is free; the kernel does not limit all runs together, so a run that exceeds its own limit can exceed this one',
    fix: 'Make cgroups writable: see limits',
  };
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
