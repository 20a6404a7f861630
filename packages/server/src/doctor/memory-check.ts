import { availableMemoryBytes } from '@ambit/runtime';
import type { DoctorCheck } from '../cli/ports/doctor-report.ts';
import type { Config } from '../config/config.ts';
import type { Machine } from '../setup/machine.ts';

/** The memory that all runs share, and who keeps them below it. */
export function memoryCheck(
  { memoryShareBytes }: Pick<Config, 'memoryShareBytes'>,
  { process: sandbox }: Pick<Machine, 'process'>,
): DoctorCheck {
  const isEnforced = sandbox.limitAll?.(memoryShareBytes) === true;
  return {
    name: 'memory',
    status: isEnforced ? 'ok' : 'limited',
    found: `${mebibytes(memoryShareBytes)} of ${mebibytes(availableMemoryBytes())} for all runs together`,
    meaning: isEnforced
      ? 'calls wait until their memory is free, and the kernel limits all runs together'
      : 'calls wait until their memory is free; the kernel does not limit all runs together, so a run that exceeds its own limit can exceed this one',
    ...(isEnforced ? {} : { fix: 'Make cgroups writable: see limits' }),
  };
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
