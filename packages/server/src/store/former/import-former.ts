import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/internal';
import type { Store } from '../store.ts';
import { storeError } from '../store-error.ts';
import type { FormerData, OnUnreadable } from './former-data.ts';
import { setAside } from './set-aside.ts';
import { formerState } from './state.ts';
import { formerWorkspaces } from './workspaces.ts';

const formerData: readonly FormerData[] = [formerState, formerWorkspaces];

/**
 * Moves what Ambit 0.1.0 stored in folders of the data directory into the store, and the folders to `former-0.1.0` in the
 * data directory, as a copy. An interrupted import is repeated. Rejects with `STORE_UNAVAILABLE`.
 */
export async function importFormer(
  dataDir: string,
  store: Pick<Store, 'run'>,
  onUnreadable: OnUnreadable,
): Promise<void> {
  for (const { name, importAll } of formerData) {
    const folder = join(dataDir, name);
    if (!existsSync(folder)) continue;
    try {
      await importAll(folder, store, onUnreadable);
      await setAside(folder);
    } catch (error) {
      if (error instanceof SkillError) throw error;
      throw storeError(folder, `Ambit 0.1.0 wrote it, and its import failed: ${thrownText(error)}`, error);
    }
  }
}
