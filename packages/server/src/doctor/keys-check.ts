import { existsSync } from 'node:fs';
import { SkillError } from '@ambit/core';
import type { Environment } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { statusOf } from '../local/keys.ts';
import { daemonKey, dataFiles } from '../setup/data-dir.ts';
import { withKeyStore } from '../setup/key-store.ts';
import type { DoctorCheck } from './doctor-report.ts';

/** Whether the keys can be read, and how many are valid. */
export async function keysCheck(config: Config, environment: Environment): Promise<DoctorCheck> {
  const name = 'keys';
  try {
    const keys = await withKeyStore(config, environment, 'read', (stored) => stored.list());
    const first = dataFiles(config).key;
    const hasFirst = existsSync(first);
    if (hasFirst) await daemonKey(first);
    const good = keys.filter((key) => statusOf(key) === 'good').length;
    const ended = keys.length - good;
    return {
      name,
      status: 'ok',
      found: `${good + Number(hasFirst)} valid${ended === 0 ? '' : `, ${ended} expired or revoked`}`,
      meaning:
        keys.length === 0 && !hasFirst
          ? 'the first start creates the first key'
          : 'ambit key list shows the rights of each',
    };
  } catch (error) {
    const found = (error as Error).message;
    if (error instanceof SkillError)
      return {
        name,
        status: 'limited',
        found,
        meaning: 'until the store answers, a daemon that starts accepts only its first key',
        fix: 'Do what the message says, and run ambit doctor again',
      };
    return {
      name,
      status: 'missing',
      found,
      meaning: 'a daemon cannot start with it, and a running one uses the keys that it has read before',
      fix: 'Correct the file as described above',
    };
  }
}
