import { existsSync } from 'node:fs';
import type { DoctorCheck } from '../../cli/actions/doctor-report.ts';
import type { Config } from '../../config/config.ts';
import { daemonKey, dataFiles } from '../data-dir.ts';
import { keyActions } from '../key-actions.ts';

/** Whether the keys of the data directory can be read, and how many of them are good. */
export async function keysCheck(config: Config): Promise<DoctorCheck> {
  const name = 'keys';
  try {
    const keys = await keyActions.list(config);
    const first = dataFiles(config).key;
    if (existsSync(first)) await daemonKey(first);
    const good = keys.filter(({ status }) => status === 'good');
    const over = keys.length - good.length;
    return {
      ...{ name, status: 'ok' },
      found: `${good.length} good${over === 0 ? '' : `, ${over} expired or revoked`}`,
      meaning:
        keys.length === 0 ? 'the first is made at the first start' : 'ambit key list shows what each is for',
    };
  } catch (error) {
    return {
      ...{ name, status: 'missing', found: (error as Error).message },
      meaning:
        'a daemon does not start with it, and one that runs knows only the keys that it has read before',
      fix: 'Mend the file as said above',
    };
  }
}
