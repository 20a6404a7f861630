import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readInstalled } from '../../config/read-installed.ts';
import { readLock } from '../../lock/lock-file.ts';
import { decisionsInFile } from '../../store/sqlite/inspect-store-file.ts';
import { plainConfig } from '../../testing/plain-config.ts';
import { decisionsOf, noDecisions } from '../decisions.ts';
import { installedRoots } from '../installed-roots.ts';
import { readVersion } from '../stored-versions.ts';

/** The state at the next start, by id: the tier and digest in force, a version that waits, and whether its files are whole. */
export type InstalledState = Record<string, readonly string[]>;

/** Reads the files of a project whose programs have ended. */
export async function installedState(project: string): Promise<InstalledState> {
  const dataDir = join(project, '.ambit');
  const lockFile = join(project, 'ambit.lock');
  const [{ skills }, { installed }] = [await readLock(lockFile), await readInstalled({ lockFile })];
  const store = join(dataDir, 'store.db');
  const decisions = existsSync(store) ? decisionsOf(decisionsInFile(store)) : noDecisions;
  const roots = installedRoots({ ...plainConfig, installed, dataDir }, decisions);
  const entries = Object.entries(skills).map(async ([id, { digest, waiting }]) => {
    const root = roots.find((each) => `${each.namespace}:${each.installed?.name}` === id);
    const stored = await readVersion(dataDir, { id, digest });
    return [
      id,
      [
        root?.installed?.refused?.code ?? String(root?.tier),
        ...[digest, waiting?.digest ?? 'nothing waits'],
        'problem' in stored ? 'damaged' : 'whole',
      ],
    ] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
