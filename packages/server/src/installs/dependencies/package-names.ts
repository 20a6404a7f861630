import type { LockedVersion } from '../../lock/lock-file.ts';

/** The locked packages of a version, as `numpy 1.26.0` of Python and `npm:chalk 5.3.0`, sorted. */
export function packageNames({ dependencies }: Pick<LockedVersion, 'dependencies'>): string[] {
  const names = (dependencies?.packages ?? []).map((each) => {
    if (each.kind === 'python') return `${each.name} ${each.version}`;
    return `npm:${each.name} ${each.version}${each.installScript ? ' (its install script does not run)' : ''}`;
  });
  // Node finds one version of a package in several places.
  return [...new Set(names)].sort();
}
