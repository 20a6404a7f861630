import { lstatSync, realpathSync, statSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import { identityOf } from './mount-identity.ts';
import type { HostProcess, Pin } from './sandbox.ts';

/** Records what a path leads to now. */
export function pin(path: string): Pin {
  try {
    const real = realpathSync.native(path);
    return { path, found: { real, identity: identityOf(statSync(real)) } };
  } catch {
    return { path, found: undefined };
  }
}

/** Whether the path of a pin leads to something else now. */
export function isMoved({ path, found: before }: Pin): boolean {
  const { found } = pin(path);
  return found?.identity !== before?.identity || found?.real !== before?.real;
}

/** The device number of `/dev/null` (Linux' devices.txt). */
const nullDevice = 0x103;

/**
 * Throws `SANDBOX_UNAVAILABLE` if something is not hidden inside, or if its path leads elsewhere by now: then another file
 * was hidden. `root` is the path of the sandbox's root from outside.
 */
export function checkHidden(root: string, { hidden, pins }: HostProcess): void {
  const isVisible = (path: string): boolean => {
    const found = lstatSync(`${root}${path}`, { throwIfNoEntry: false });
    return found?.isDirectory() ? (found.mode & 0o777) !== 0 : found?.rdev !== nullDevice;
  };
  const path = hidden.find(isVisible) ?? pins.find(isMoved)?.path;
  if (path !== undefined)
    throw notHidden(`${path} was replaced while the sandbox was being set up`, 'call again');
}

/** The refusal of a run with the rights of a user, because something cannot be hidden from it. */
export function notHidden(why: string, remedy: string): SkillError {
  return new SkillError(
    'SANDBOX_UNAVAILABLE',
    `${why}, so it cannot be protected from a program with the rights of a user. Nothing ran. ${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`,
  );
}
