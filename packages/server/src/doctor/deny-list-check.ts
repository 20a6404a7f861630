import type { Environment } from '@ambit/runtime';
import type { DoctorCheck } from '../cli/ports/doctor-report.ts';
import type { Config } from '../config/config.ts';
import { inspectDenyList } from '../setup/inspect-decisions.ts';

const hourMs = 3_600_000;

/** Whether the configured deny list was checked lately. */
export async function denyListCheck(
  config: Config,
  environment: Environment,
  now: number,
): Promise<DoctorCheck[]> {
  const { denyList } = config.installs;
  if (denyList === null) return [];
  const name = 'deny list';
  const { url, refreshSeconds } = denyList;
  const fix =
    'Run "ambit skills sync", which says why the list cannot be fetched or is refused; a daemon logs it too';
  try {
    const last = await inspectDenyList(config, environment, url);
    if (last === undefined)
      return [
        {
          ...{ name, status: 'limited', found: `${url} was never fetched` },
          ...{ meaning: 'it refuses nothing yet', fix },
        },
      ];
    const age = now - last.checkedAt;
    const found = `${url}, serial ${last.serial}, checked ${new Date(last.checkedAt).toISOString()}`;
    if (age <= Math.max(24 * hourMs, 3 * refreshSeconds * 1000))
      return [{ name, status: 'ok', found, meaning: 'what it lists is refused' }];
    return [
      {
        ...{ name, status: 'limited', found: `${found}, ${Math.floor(age / hourMs)} hours ago` },
        ...{ meaning: 'what it listed then is refused, and later entries are unknown', fix },
      },
    ];
  } catch (error) {
    return [
      {
        ...{ name, status: 'limited', found: (error as Error).message },
        ...{ meaning: 'when it was checked is unknown', fix: 'Do what the message says' },
      },
    ];
  }
}
