import { basename, join } from 'node:path';
import { type Skill, SkillError } from '@ambit/core';
import type { HostProgram } from '../programs/host-program.ts';
import { type Mount, ownFolder } from '../sandbox/sandbox.ts';
import type { TreeDigests } from './tree-digest.ts';

/** The mounts of a skill's packages inside its sandbox, and the variables by which programs find them. */
export interface DependencyMounts {
  mounts: readonly Mount[];
  env: Readonly<Record<string, string>>;
}

const pythonFolder = `${ownFolder}/python`;

/** Node looks for packages in every folder above a script, here above `skillFolder`. It ignores `NODE_PATH` for `import`. */
const nodeFolder = '/node_modules';

/**
 * Mounts the locked packages of a skill: read-only, and only if the folder is what was locked. Python finds them in its site
 * folder of the user: after its standard library and before the packages of the system. Node finds them after its own modules
 * and those in the skill's folder.
 *
 * Throws `LOCK_MISMATCH` if the folder is missing or changed, or if the Python of this machine has another version.
 */
export async function dependencyMounts(
  { id, dependencies }: Pick<Skill, 'id' | 'dependencies'>,
  programs: ReadonlyMap<string, HostProgram>,
  digestOf: TreeDigests,
): Promise<DependencyMounts> {
  if (dependencies === undefined) return { mounts: [], env: {} };
  const { root, content, python, node } = dependencies;
  const found = await digestOf(root).catch(() => undefined);
  if (found !== content) {
    const state = found === undefined ? 'are missing' : 'have changed since they were locked';
    throw new SkillError(
      'LOCK_MISMATCH',
      `${id}: its packages ${state}; to fetch them again, run: ambit skills sync`,
    );
  }
  const ofNode = node ? [{ source: join(root, 'node_modules'), target: nodeFolder }] : [];
  const program = programs.get('python3') ?? programs.get('python');
  if (program === undefined || python === null) return { mounts: ofNode, env: {} };
  const version = /^python(\d+\.\d+)$/.exec(basename(program.file))?.[1];
  if (version !== undefined && version !== python)
    throw new SkillError(
      'LOCK_MISMATCH',
      `${id}: its packages are locked for Python ${python}, and this machine has Python ${version}; to lock them again, run: ambit skills deps ${id}`,
    );
  const target = `${pythonFolder}/lib/python${python}/site-packages`;
  const mounts = [...ofNode, { source: join(root, 'python'), target }];
  // A virtual environment has no site folder of the user.
  const env = program.path.startsWith('/usr/bin/')
    ? { PYTHONUSERBASE: pythonFolder }
    : { PYTHONPATH: target };
  return { mounts, env };
}
