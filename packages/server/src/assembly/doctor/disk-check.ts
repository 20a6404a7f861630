import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';
import type { AuditSettings } from '../../config/config.ts';

const mebibyte = 2 ** 20;
const filesEnough = 1000;

/** What is a file system's, as far as it matters here. A file system that has no number of files says 0 for both. */
export interface FreeSpace {
  freeBytes: number;
  files: number;
  filesFree: number;
}

/** Whether the log has room where the data directory is, or will be. */
export function diskCheck(
  { dataDir, audit }: { dataDir: string; audit: Pick<AuditSettings, 'warnFreeBytes' | 'minFreeBytes'> },
  room: FreeSpace = roomOf(dataDir),
): DoctorCheck {
  const name = 'disk';
  const noFiles = room.files > 0 && room.filesFree < filesEnough;
  const found = `${Math.floor(room.freeBytes / mebibyte)} MiB free${noFiles ? `, room for ${room.filesFree} more files` : ''}`;
  if (room.freeBytes >= audit.warnFreeBytes && !noFiles)
    return { name, status: 'ok', found, meaning: 'the log and the files of calls have room' };
  return {
    name,
    status: room.freeBytes < audit.minFreeBytes ? 'missing' : 'limited',
    found,
    meaning: 'a call that cannot be recorded is refused with AUDIT_UNAVAILABLE',
    fix: 'Make room; "ambit audit prune --dry-run" says what audit.retentionDays and audit.retentionBytes let go of the log',
  };
}

function roomOf(folder: string): FreeSpace {
  if (!existsSync(folder) && dirname(folder) !== folder) return roomOf(dirname(folder));
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return { freeBytes: bavail * bsize, files, filesFree: ffree };
}
