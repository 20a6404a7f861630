import type { LockedVersion } from '../../lock/lock-file.ts';

/** The locked packages of a version, as `numpy 1.26.0`, sorted. */
export function packageNames({ dependencies }: Pick<LockedVersion, 'dependencies'>): string[] {
  return (dependencies?.packages ?? []).map(({ name, version }) => `${name} ${version}`).sort();
}
