import { readLock } from '../lock/lock-file.ts';
import { addSkills } from './add-skills.ts';
import { asRefusal } from './apply-versions.ts';
import { approveSkill, restoreSubject, revokeSubject } from './decide.ts';
import { readDecisions } from './decisions.ts';
import type { Installed, InstallerDeps } from './installer-deps.ts';
import type { Installs } from './installs.ts';
import { listInstalled } from './list-installed.ts';
import { removeSkills } from './remove-skills.ts';
import { reviewSkill } from './review-skill.ts';
import { syncSkills } from './sync-skills.ts';
import { updateSkills } from './update-skills.ts';

/** Changes installed skills, one change at a time. The data directory must have no other writer. */
export function installer(deps: InstallerDeps): Installs {
  let last: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<Installed> => {
    const config = deps.config();
    const lock = await asRefusal(readLock(config.lockFile));
    const decisions = await readDecisions(deps.store);
    return { config, lock, decisions };
  };
  /** After the changes before it, from the state that they left. */
  const changing = <Result>(change: (installed: Installed) => Promise<Result>): Promise<Result> => {
    const mine = last.then(read).then(change);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    list: async () => listInstalled(await read()),
    review: async (id) => reviewSkill(await read(), id),
    outdated: async (ids, asker) => updateSkills(deps, await read(), ids, asker, { changes: false }),
    add: (request, asker) => changing((installed) => addSkills(deps, installed, request, asker)),
    approve: (request, asker) => changing((installed) => approveSkill(deps, installed, request, asker)),
    update: (ids, asker) =>
      changing((installed) => updateSkills(deps, installed, ids, asker, { changes: true })),
    revoke: (subject, reason, asker) =>
      changing((installed) => revokeSubject(deps, installed, { subject, reason }, asker)),
    restore: (subject, asker) => changing((installed) => restoreSubject(deps, installed, subject, asker)),
    remove: (ids, asker) => changing((installed) => removeSkills(deps, installed, ids, asker)),
    sync: (options, asker) => changing((installed) => syncSkills(deps, installed, options, asker)),
  };
}
