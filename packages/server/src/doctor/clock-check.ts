import { existsSync, statSync } from 'node:fs';
import type { DoctorCheck } from './doctor-report.ts';

/** Ambit did not exist before. */
const earliest = Date.UTC(2026, 0, 1);
const slackMs = 60_000;
const timesync = '/run/systemd/timesync';

/** Checks the clock, on which records, expiries and rates depend. `auditFile` may not exist. */
export function clockCheck(auditFile: string, now: number): DoctorCheck {
  const name = 'clock';
  const found = new Date(now).toISOString();
  const wrong = {
    name,
    status: 'limited',
    meaning: 'times in the log are wrong, and keys expire at wrong times',
  } as const;
  const fix = 'Set the clock and keep it synchronized: timedatectl set-ntp true';
  const written = statSync(auditFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now < earliest) return { ...wrong, found: `${found}, before Ambit existed`, fix };
  if (written > now + slackMs)
    return {
      ...wrong,
      found: `${found}, but the log was written at ${new Date(written).toISOString()}`,
      fix,
    };
  if (existsSync(timesync) && !existsSync(`${timesync}/synchronized`))
    return {
      ...wrong,
      found: `${found}, not synchronized yet`,
      meaning: 'times in the log may be wrong',
      fix,
    };
  return { name, status: 'ok', found, meaning: 'no sign of a wrong clock' };
}
