import type { InstallChanges } from '@ambit/api';
import { environmentFolder } from '../lock/installed.ts';
import { changeLock } from './apply-versions.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { Requester } from './installs.ts';
import { lockedSkill } from './list-installed.ts';
import { withoutVersion } from './new-version.ts';
import { removeFolder, removeOtherVersions } from './stored-versions.ts';
import { listedEnvironments, listedVersions } from './sync-skills.ts';

/** Removes installed skills with their approvals and files. Ends their running calls. See `Installs.remove`. */
export async function removeSkills(
  deps: InstallerDeps,
  installed: Installed,
  named: readonly string[],
  { actor }: Requester,
): Promise<InstallChanges> {
  const { config, lock } = installed;
  const removed = named.map((each) => lockedSkill(lock, each));
  const time = deps.now();
  const { lock: left } = await changeLock(
    deps,
    installed,
    { entries: Object.fromEntries(removed.map(({ id }) => [id, undefined])), actor },
    async () => {
      for (const { id, skill } of removed)
        await deps.append({ kind: 'skill.removed', time, actor, skill: { id, digest: skill.digest } });
      // Before the lock file, so that no approval outlives its skill and is in force when it is added again.
      const ended = removed.map(({ id }) => ({ id, keep: null }));
      await deps.store.run('disapprove', ended);
    },
  );
  await deps.apply();
  // Files that stay are not listed: "ambit skills sync" removes them.
  await removeOtherVersions(config.dataDir, listedVersions(left)).catch(() => undefined);
  // Only theirs: others may have been built for a change that is not in the lock file yet.
  const stays = new Set(listedEnvironments(left));
  const gone = listedEnvironments(lock).filter((digest) => !stays.has(digest));
  for (const digest of gone) await removeFolder(environmentFolder(config.dataDir, digest));
  return {
    skills: removed.map(({ id, skill }) => withoutVersion(id, 'removed', skill)),
    refused: [],
  };
}
