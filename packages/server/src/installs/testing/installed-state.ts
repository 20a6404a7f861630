import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readLock } from '../../lock/lock-file.ts';
import { decisionsInFile } from '../../store/sqlite/inspect-store-file.ts';
import { plainConfig } from '../../testing/run-ambit.ts';
import { decisionsOf, noDecisions } from '../decisions.ts';
import { installedRoots } from '../installed-roots.ts';
import { readVersion } from '../stored-versions.ts';

/** What the next start finds, by id: the tier and digest in force, a version that waits, and whether its files are whole. */
export type InstalledState = Record<string, readonly string[]>;

/** Reads the files of a project whose programs have ended. */
export async function installedState(project: string): Promise<InstalledState> {
  const dataDir = join(project, '.ambit');
  const { skills } = await readLock(join(project, 'ambit.lock'));
  const store = join(dataDir, 'store.db');
  const decisions = existsSync(store) ? decisionsOf(decisionsInFile(store)) : noDecisions;
  const entries = Object.entries(skills).map(async ([id, { digest, publisher, waiting }]) => {
    const installed = { [id]: { digest, publisher, isWaiting: waiting !== undefined } };
    const [root] = installedRoots({ ...plainConfig, installed, dataDir }, decisions);
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
