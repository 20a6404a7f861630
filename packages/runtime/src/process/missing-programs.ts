import { type Grant, programsThatFailedToStart } from '@ambit/core/execute';
import { findHostProgram } from './programs/host-program.ts';
import type { SkillCommand } from './sandboxed-command.ts';

/** More names would only fill the record. */
const namesMax = 20;

/**
 * The programs that a run may have lacked without failing: this machine has them, the sandbox did not,
 * and the script's text (`named`) or an error message in its log names them. Only names that were found
 * in the search path are returned, and none that a deny rule names.
 */
export function missingPrograms(
  { programsDenied }: Grant,
  { programs }: SkillCommand,
  { named, log }: { named: readonly string[]; log: string },
): string[] {
  if (programs === undefined) return [];
  const inside = new Set([...programs, ...programsDenied]);
  const missing = [...new Set([...named, ...programsThatFailedToStart(log)])].filter(
    (name) => !inside.has(name) && isProgramName(name) && findHostProgram(name) !== undefined,
  );
  return missing.slice(0, namesMax);
}

/** A name, and not a path such as `..`; it needs no quoting in a shell. */
function isProgramName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/.test(name);
}
