import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';

/** Whether this user can keep the key and the audit log in a folder, or make it where there is none yet. */
export function dataDirCheck(dataDir: string): DoctorCheck {
  const check = { name: 'data directory', found: dataDir };
  try {
    const isThere = accessNearest(dataDir);
    const open = isThere ? openToOthers(dataDir) : [];
    if (open.length > 0) {
      return {
        ...check,
        status: 'limited',
        found: `${dataDir}; others can use ${open.join(', ')}`,
        meaning: 'other users of this machine can read what is kept here, or write it',
        fix: `chmod -R go= ${dataDir}`,
      };
    }
    return {
      ...check,
      status: 'ok',
      meaning: isThere ? 'key and audit log are kept here' : 'made at the first start',
    };
  } catch {
    return {
      ...check,
      status: 'missing',
      meaning: 'the log cannot be written, and without it nothing runs',
      fix: `Make ${dataDir} writable for this user, or name another with --data-dir`,
    };
  }
}

/** The folder, or what of it others may read, write or enter where it is not closed to them itself. */
function openToOthers(dataDir: string): string[] {
  if (process.platform === 'win32' || !isOpen(dataDir)) return [];
  const inside = readdirSync(dataDir).filter((name) => isOpen(join(dataDir, name)));
  return ['the folder', ...inside];
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** Says whether the folder is there; throws when it, or else the nearest folder above that is there, cannot be written. */
function accessNearest(dataDir: string): boolean {
  for (let folder = dataDir; ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      return folder === dataDir;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === dirname(folder)) throw error;
    }
  }
}
