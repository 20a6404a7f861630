import { existsSync } from 'node:fs';
import { keyActions } from '../actions/key-actions.ts';
import type { DoctorCheck } from '../cli/ports/doctor-report.ts';
import type { Config } from '../config/config.ts';
import { daemonKey, dataFiles } from '../setup/data-dir.ts';

/** Whether the keys of the data directory can be read, and how many are valid. */
export async function keysCheck(config: Config): Promise<DoctorCheck> {
  const name = 'keys';
  try {
    const keys = await keyActions.list(config);
    const first = dataFiles(config).key;
    if (existsSync(first)) await daemonKey(first);
    const good = keys.filter(({ status }) => status === 'good');
    const ended = keys.length - good.length;
    return {
      ...{ name, status: 'ok' },
      found: `${good.length} valid${ended === 0 ? '' : `, ${ended} expired or revoked`}`,
      meaning:
        keys.length === 0
          ? 'the first start creates the first key'
          : 'ambit key list shows the rights of each',
    };
  } catch (error) {
    return {
      ...{ name, status: 'missing', found: (error as Error).message },
      meaning: 'a daemon cannot start with it, and a running one uses the keys that it has read before',
      fix: 'Correct the file as described above',
    };
  }
}
