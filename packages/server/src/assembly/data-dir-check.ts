import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { DoctorCheck } from '../cli/doctor-report.ts';

/** Whether this user can keep the key and the audit log in a folder, or make it where there is none yet. */
export function dataDirCheck(dataDir: string): DoctorCheck {
  const check = { name: 'data directory', found: dataDir };
  try {
    const isThere = accessNearest(dataDir);
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
