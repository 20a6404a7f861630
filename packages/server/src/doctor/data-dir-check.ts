import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DoctorCheck } from './doctor-report.ts';

/** Whether this user can write the data directory or create it. */
export function dataDirCheck(dataDir: string): DoctorCheck {
  const check = { name: 'data directory', found: dataDir };
  try {
    const isThere = accessNearest(dataDir);
    const open = isThere ? openToOthers(dataDir) : [];
    if (open.length > 0) {
      return {
        ...check,
        status: 'limited',
        found: `${dataDir}; other users can access ${open.join(', ')}`,
        meaning: 'other users of this machine can read or write the key and the audit log',
        fix: `chmod -R go= ${dataDir}`,
      };
    }
    return {
      ...check,
      status: 'ok',
      meaning: isThere ? 'it contains the key and the audit log' : 'the first start creates it',
    };
  } catch {
    return {
      ...check,
      status: 'missing',
      meaning: 'calls are refused, because the audit log cannot be written',
      fix: `Make ${dataDir} writable for this user, or name another one with --data-dir`,
    };
  }
}

/** The folder and its files that other users may read, write or enter. Empty if the folder itself is closed to them. */
function openToOthers(dataDir: string): string[] {
  if (process.platform === 'win32' || !isOpen(dataDir)) return [];
  const inside = readdirSync(dataDir).filter((name) => isOpen(join(dataDir, name)));
  return ['the folder', ...inside];
}

function isOpen(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** Returns whether the folder exists. Throws if it, or else the nearest existing folder above, cannot be written. */
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
