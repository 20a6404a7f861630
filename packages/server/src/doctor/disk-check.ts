import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AuditSettings } from '../config/config.ts';
import type { DoctorCheck } from './doctor-report.ts';

const mebibyte = 2 ** 20;
const filesEnough = 1000;

/** The free space of a file system. If it has no file limit, `files` and `filesFree` are 0. */
export interface FreeSpace {
  freeBytes: number;
  files: number;
  filesFree: number;
}

/** Whether the file system of the data directory has enough space for the log. */
export function diskCheck(
  { dataDir, audit }: { dataDir: string; audit: Pick<AuditSettings, 'warnFreeBytes' | 'minFreeBytes'> },
  room: FreeSpace = roomOf(dataDir),
): DoctorCheck {
  const name = 'disk';
  const noFiles = room.files > 0 && room.filesFree < filesEnough;
  const found = `${Math.floor(room.freeBytes / mebibyte)} MiB free${noFiles ? `, room for ${room.filesFree} more files` : ''}`;
  if (room.freeBytes >= audit.warnFreeBytes && !noFiles)
    return { name, status: 'ok', found, meaning: 'there is enough space for the log and the files of calls' };
  return {
    name,
    status: room.freeBytes < audit.minFreeBytes ? 'missing' : 'limited',
    found,
    meaning: 'a call that cannot be recorded is refused with AUDIT_UNAVAILABLE',
    fix: 'Free space. To see what audit.retentionDays and audit.retentionBytes remove from the log, run: ambit audit prune --dry-run',
  };
}

function roomOf(folder: string): FreeSpace {
  if (!existsSync(folder) && dirname(folder) !== folder) return roomOf(dirname(folder));
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return { freeBytes: bavail * bsize, files, filesFree: ffree };
}
