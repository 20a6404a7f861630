import { realpath, stat } from 'node:fs/promises';
import { type Grant, liesWithin, SkillError } from '@ambit/core';
import type { Mount } from './sandbox.ts';

/** Places inside that belong to the sandbox; a host path cannot cover them. */
const reserved = ['/proc', '/dev', '/sys', '/usr', '/lib', '/lib64', '/bin', '/etc', '/skill', '/workspace'];

/**
 * The mounts for the host paths of a grant, each at its own path. Links are resolved here, and a path whose real place
 * is not beneath one of the operator's own lines is refused: policy has only compared names.
 *
 * Throws `CAPABILITY_DENIED` for a path that does not exist, leads elsewhere, would cover the sandbox's own, or is closed
 * to `hostUser`, the user that the program is on the host.
 */
export async function grantedMounts(
  { skill, capabilities, hostRoots }: Grant,
  hostUser: number | undefined,
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const mode of ['read', 'write'] as const) {
    const roots = await Promise.all(
      [...hostRoots[mode], ...hostRoots.write].map((root) => realpath(root).catch(() => root)),
    );
    for (const path of capabilities.filesystem[mode]) {
      if (!path.startsWith('/')) continue;
      const source = await realpath(path).catch(() => undefined);
      const problem = problemWith(path, source, roots) ?? (await accessProblem(source, mode, hostUser));
      if (problem !== undefined || source === undefined) {
        throw new SkillError(
          'CAPABILITY_DENIED',
          `${skill.id} is not run: the granted path ${path} ${problem}`,
          {
            details: {
              denials: [
                {
                  capability: `filesystem.${mode}`,
                  requested: path,
                  reason: problem,
                  remedy: `correct grants.${skill.id}.filesystem.${mode} in the configuration`,
                },
              ],
            },
          },
        );
      }
      mounts.push({ source, target: path, writable: mode === 'write' });
    }
  }
  // A folder before what lies in it, and to write after to read, so that the wider right to one path stands.
  return mounts.toSorted(
    (a, b) => a.target.length - b.target.length || Number(a.writable) - Number(b.writable),
  );
}

function problemWith(path: string, source: string | undefined, roots: readonly string[]): string | undefined {
  if (source === undefined) return 'does not exist on this host';
  if (
    reserved.some((own) => liesWithin(own, path)) ||
    reserved.slice(0, 3).some((own) => liesWithin(path, own))
  ) {
    return 'would cover a place of the sandbox itself';
  }
  if (!roots.some((root) => liesWithin(source, root)))
    return 'leads, through a link, to a place that is not granted';
  return undefined;
}

/** Said before the call rather than as an EACCES from somewhere inside a script. Only the path itself is looked at. */
async function accessProblem(
  source: string | undefined,
  mode: 'read' | 'write',
  hostUser: number | undefined,
): Promise<string | undefined> {
  if (source === undefined || hostUser === undefined) return undefined;
  const { mode: bits, uid, gid } = await stat(source);
  const shift = uid === hostUser ? 6 : gid === hostUser ? 3 : 0;
  const needed = mode === 'write' ? 0o6 : 0o4;
  if (((bits >> shift) & needed) === needed) return undefined;
  const remedy = mode === 'write' ? `chown -R ${hostUser} ${source}` : `chmod -R o+rX ${source}`;
  return `is closed to uid ${hostUser}, as which skills run when the daemon is root; for example: ${remedy}`;
}
