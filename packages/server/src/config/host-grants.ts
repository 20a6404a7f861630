import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { partsOfId, skillFileNames } from '@ambit/core/skill';
import { replaceableBy, type SkillRoot, userProblem } from '@ambit/runtime';
import type { Config } from './config.ts';
import type { Settings } from './file/settings.ts';

/** The facts that decide whether a skill may be granted the rights of a user. */
interface HostGrantFacts extends Pick<Config, 'installed'> {
  roots: readonly SkillRoot[];
  uid: number | undefined;
  /** The configuration file and the data directory. */
  own: readonly string[];
}

/** Lists the problems of grants of `host`, one sentence each. A skill that is not found here is refused at its call. */
export function hostGrantIssues(
  grants: Settings['grants'],
  { installed, roots, uid, own }: HostGrantFacts,
): string[] {
  return Object.entries(grants).flatMap(([id, { host, user, secrets }]) => {
    if (host !== true) return [];
    const key = `grants.${id}`;
    const tier = Object.hasOwn(installed, id) ? 'verified at most' : tierOf(id, roots);
    const problem = user === undefined ? undefined : userProblem(user);
    const issues: string[] = [];
    if (tier !== undefined && tier !== 'local')
      issues.push(
        `${key}.host: only for skills of tier local, and the tier of ${id} is ${tier}; grant what it needs: filesystem, network, env, exec`,
      );
    if (problem !== undefined) issues.push(`${key}.user: ${problem}; name the user whose rights it gets`);
    if (uid === 0 && user === undefined)
      issues.push(
        `${key}.host: Ambit runs as root, and no skill does; name the user whose rights it gets: { host: true, user: NAME }`,
      );
    else if (uid === 0 && user !== undefined && problem === undefined) {
      const place = own.map((path) => replaceableBy(user, path)).find((each) => each !== undefined);
      if (place !== undefined)
        issues.push(
          `${key}.user: ${user} can change ${place}, and what a skill leaves behind could replace the configuration or the data directory of root there; move both to folders that only root can write, such as /etc/ambit and /var/lib/ambit`,
        );
    }
    if (secrets.length > 0)
      issues.push(
        `${key}.host: cannot be combined with secrets, which only the proxy adds; remove one of the two`,
      );
    return issues;
  });
}

/** The tier of the first folder with the skill, which is the one in use; `undefined`: it is in none, or deeper. */
function tierOf(id: string, roots: readonly SkillRoot[]): string | undefined {
  const { namespace, name } = partsOfId(id);
  const isThere = (root: SkillRoot): boolean =>
    skillFileNames.some((file) => existsSync(join(root.path, name, file)));
  return roots.find((root) => root.namespace === namespace && isThere(root))?.tier;
}
