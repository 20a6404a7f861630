import type { InstallChange, InstallChanges, RefusedInstall } from '@ambit/api';
import { partsOfId } from '@ambit/core/skill';
import { type Staged, signedProvenance, withStaged } from './add-skills.ts';
import { applyVersions } from './apply-versions.ts';
import { keepPackages, lockPackages } from './dependencies/lock-packages.ts';
import type { FetchingDeps, Installed } from './installer-deps.ts';
import type { Requester } from './installs.ts';
import { lockedSkills } from './list-installed.ts';
import { type PlannedVersion, planVersion, withoutVersion } from './new-version.ts';

/**
 * Reads the sources of installed skills again, each once, and updates the skills or, without `changes`, only says what would
 * change. One source that fails does not stop the others.
 */
export async function updateSkills(
  deps: FetchingDeps,
  installed: Installed,
  ids: readonly string[],
  requester: Requester,
  { changes }: { changes: boolean },
): Promise<InstallChanges> {
  const wanted = lockedSkills(installed.lock, ids);
  const bySource = Map.groupBy(wanted, ({ id, skill }) =>
    JSON.stringify([skill.source, partsOfId(id).namespace]),
  );
  const result: { skills: InstallChange[]; refused: RefusedInstall[] } = { skills: [], refused: [] };
  const sources = [...bySource.values()];
  for (const skills of sources) {
    const source = skills[0]?.skill.source ?? '';
    const namespace = partsOfId(skills[0]?.id ?? '').namespace ?? '';
    const update = async (staged: Staged, now: Installed): Promise<InstallChanges> => {
      const plans: PlannedVersion[] = [];
      const missing: InstallChange[] = [];
      for (const { id, skill } of skills) {
        // It may have been removed, or added again from elsewhere.
        if (now.lock.skills[id]?.source !== source) continue;
        const found = staged.skills.find((each) => each.id === id);
        // A refused version is reported as such.
        if (staged.refused.some((each) => each.skill?.id === id)) continue;
        if (found === undefined) missing.push(withoutVersion(id, 'missing', skill));
        else plans.push(await planVersion(deps, now, found, source, requester.actor));
      }
      requester.signal.throwIfAborted();
      const folders = new Set(skills.map(({ skill: { folder } }) => folder));
      if (changes) await applyVersions(deps, now, plans, requester.actor);
      return {
        skills: [...plans.map(({ change }) => change), ...missing],
        refused: staged.refused.filter(({ folder }) => folders.has(folder)),
      };
    };
    const request = { typed: source, paths: 'absolute' as const };
    const provenance = signedProvenance(installed, source);
    const updated = withStaged(installed, request, { namespace, provenance }, requester, async (staged) => {
      const found = staged.skills.filter(({ id }) => skills.some((each) => each.id === id));
      if (changes) await lockPackages(installed, found, requester);
      else keepPackages(installed, found);
      return deps.changing(requester.signal, (now) => update(staged, now));
    });
    // With one source, the whole command fails.
    const { skills: done, refused } = await updated.catch((error: unknown) => {
      const { code, message } = error as { code?: unknown; message: string };
      if (sources.length === 1 || typeof code !== 'string' || requester.signal.aborted) throw error;
      return { skills: [], refused: [{ folder: source, code, message }] };
    });
    result.skills.push(...done);
    result.refused.push(...refused);
  }
  return result;
}
