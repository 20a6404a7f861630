import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stateChange } from '../skill-state.ts';
import type { FormerData } from './former-data.ts';
import { readFormerFile } from './read-former-file.ts';

const ending = '.json';

/** A file per skill, with an object of its keys and values. Other names are drafts. */
export const formerState: FormerData = {
  name: 'state',
  async importAll(folder, store, onUnreadable) {
    for (const name of await readdir(folder)) {
      if (!name.endsWith(ending)) continue;
      const found = await readState(folder, name).catch((error: unknown) => {
        onUnreadable(join(folder, name), error);
        return undefined;
      });
      if (found !== undefined) await store.run('importState', ...found);
    }
  },
};

async function readState(folder: string, name: string): Promise<[string, ReturnType<typeof stateChange>[]]> {
  const skill = decodeURIComponent(name.slice(0, -ending.length));
  const values: unknown = JSON.parse((await readFormerFile(join(folder, name))).toString());
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new Error('it is not an object of keys and values');
  return [skill, Object.entries(values).map(([key, value]) => stateChange(key, JSON.stringify(value)))];
}
