import { existsSync, statSync } from 'node:fs';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';

/** No machine that runs this is older. */
const earliest = Date.UTC(2026, 0, 1);
const slackMs = 60_000;
const timesync = '/run/systemd/timesync';

/** Whether the clock can be right: records, expiries and rates go by it. `auditFile` may not be there yet. */
export function clockCheck(auditFile: string, now: number): DoctorCheck {
  const name = 'clock';
  const found = new Date(now).toISOString();
  const wrong = {
    name,
    status: 'limited',
    meaning: 'times in the log are wrong, and keys expire when they should not',
  } as const;
  const fix = 'Set the clock, and have it kept: "timedatectl set-ntp true"';
  const written = statSync(auditFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now < earliest) return { ...wrong, found: `${found}, before there was this program`, fix };
  if (written > now + slackMs)
    return {
      ...wrong,
      found: `${found}, and the log was written at ${new Date(written).toISOString()}`,
      fix,
    };
  if (existsSync(timesync) && !existsSync(`${timesync}/synchronized`))
    return {
      ...wrong,
      found: `${found}, not synchronized yet`,
      meaning: 'times in the log may be wrong',
      fix,
    };
  return { name, status: 'ok', found, meaning: 'nothing speaks against it' };
}
