import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrdinaryFile } from '@ambit/runtime';
import { stateChange } from '../skill-state.ts';
import type { Store } from '../store.ts';
import type { OnUnreadable } from './import-former.ts';

/** A file per skill, with an object of its keys and values. Other names are drafts. */
const ending = '.json';

export async function importState(
  folder: string,
  store: Pick<Store, 'run'>,
  onUnreadable: OnUnreadable,
): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(ending)) continue;
    const found = await readState(folder, name).catch((error: unknown) =>
      onUnreadable(join(folder, name), error),
    );
    if (found !== undefined) await store.run('importState', ...found);
  }
}

async function readState(folder: string, name: string): Promise<[string, ReturnType<typeof stateChange>[]]> {
  const skill = decodeURIComponent(name.slice(0, -ending.length));
  const values = JSON.parse((await readOrdinaryFile(join(folder, name))).toString()) as object;
  return [skill, Object.entries(values).map(([key, value]) => stateChange(key, JSON.stringify(value)))];
}
