import type { InstallChanges } from '@ambit/api';
import { SkillName } from '@ambit/core/skill';
import { Refusal } from '../errors/refusal.ts';
import { applyVersions } from './apply-versions.ts';
import { lockPackages } from './dependencies/lock-packages.ts';
import type { FetchingDeps, Installed } from './installer-deps.ts';
import type { AddRequest, Requester } from './installs.ts';
import { namespaceOf, requireOwnNamespace } from './namespace.ts';
import { type PlannedVersion, planVersion } from './new-version.ts';
import { provenanceOf } from './publishers/provenance.ts';
import { readStaged, type StagedSkill } from './read-staged.ts';
import { type StageRequest, stageSource } from './stage-source.ts';
import { removeFolder, stagingFolder } from './stored-versions.ts';

/** Adds the skills of a source. See `Installs.add`. */
export async function addSkills(
  deps: FetchingDeps,
  installed: Installed,
  { source, namespace: chosenNamespace, skills: wanted, allowsPaths }: AddRequest,
  requester: Requester,
): Promise<InstallChanges> {
  const namespace = chosenNamespace ?? namespaceOf(source);
  const requireOwn = ({ lock }: Pick<Installed, 'lock'>): void => {
    if (chosenNamespace === undefined) requireOwnNamespace(lock, namespace, source);
  };
  requireOwn(installed);
  if (!SkillName.safeParse(namespace).success)
    throw new Refusal(
      'SOURCE_UNSUPPORTED',
      'the namespace is invalid: use 1 to 64 of a-z, 0-9 and single hyphens',
    );
  const request = { typed: source, paths: allowsPaths ? ('absolute' as const) : ('none' as const) };
  const add = async (staged: Staged, now: Installed): Promise<InstallChanges> => {
    // Another command may have used it meanwhile.
    requireOwn(now);
    const refused = [...staged.refused];
    const plans: PlannedVersion[] = [];
    for (const skill of staged.skills) {
      const known = now.lock.skills[skill.id];
      if (known !== undefined && known.source !== source) {
        refused.push({
          folder: skill.folder,
          code: 'INSTALL_CONFLICT',
          skill: { id: skill.id, digest: skill.version.digest },
          message: `${skill.id} is installed from ${known.source}; to have both, choose another --namespace, or remove that one first`,
        });
        continue;
      }
      plans.push(await planVersion(deps, now, skill, source, requester.actor));
    }
    requester.signal.throwIfAborted();
    await applyVersions(deps, now, plans, requester.actor);
    return { skills: plans.map(({ change }) => change), refused };
  };
  const provenance = signedProvenance(installed, source);
  return withStaged(installed, request, { namespace, provenance }, requester, async (staged) => {
    const skills = chosen(staged.skills, wanted, source);
    await lockPackages(installed, skills, requester);
    return deps.changing(requester.signal, (now) => add({ ...staged, skills }, now));
  });
}

/** Verifies the signatures of skills of a source. */
export function signedProvenance({ config }: Pick<Installed, 'config'>, source: string): ProvenanceOf {
  return ({ id, digest }, signature) => provenanceOf(config.publishers, source, { id, digest }, signature);
}

type ProvenanceOf = Parameters<typeof readStaged>[4];

/** The skills of a source, read and reviewed. */
export type Staged = Awaited<ReturnType<typeof readStaged>>;

/** Stages and reads a source, and removes what is left of it afterwards. */
export async function withStaged<Result>(
  { config, lock }: Installed,
  request: Omit<StageRequest, 'into'>,
  { namespace, provenance }: { namespace: string; provenance: ProvenanceOf },
  { signal, onProgress }: Requester,
  use: (staged: Staged) => Promise<Result>,
): Promise<Result> {
  onProgress?.(`Fetching ${request.typed}`);
  const into = await stagingFolder(config.dataDir);
  try {
    const source = await stageSource(config, { ...request, into }, signal);
    const onRead = (id: string): void => {
      signal.throwIfAborted();
      onProgress?.(`Reading ${id}`);
    };
    const read = await readStaged(source, namespace, Object.keys(lock.skills), onRead, provenance);
    return await use(read);
  } finally {
    await removeFolder(into);
  }
}

/** The wanted skills, by name or id. Throws `INSTALL_NOT_FOUND` if one is not in the source. */
function chosen(skills: StagedSkill[], wanted: readonly string[] | undefined, source: string): StagedSkill[] {
  if (wanted === undefined || wanted.length === 0) return skills;
  const isNamed = ({ id }: StagedSkill, name: string): boolean => id === name || id.endsWith(`:${name}`);
  const missing = wanted.find((name) => !skills.some((skill) => isNamed(skill, name)));
  if (missing !== undefined)
    throw new Refusal(
      'INSTALL_NOT_FOUND',
      `${source} has no usable skill ${JSON.stringify(missing.slice(0, 200))}; it has ${
        skills
          .map(({ id }) => id)
          .slice(0, 20)
          .join(', ') || 'none'
      }`,
    );
  return skills.filter((skill) => wanted.some((name) => isNamed(skill, name)));
}
