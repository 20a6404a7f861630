import { realpath } from 'node:fs/promises';
import type { SkillRoot } from '@ambit/runtime';
import type { Origin, Sourced } from './config.ts';
import type { Settings } from './file/settings.ts';
import { bundledSkills } from './program-folder.ts';

/**
 * The configured roots, then the bundled ones and those where agents look for skills, unless they are configured. The latter
 * are untrusted, because the operator did not choose them.
 */
export async function skillRoots(
  settings: Pick<Settings, 'skills' | 'bundledSkills' | 'discoveredSkills'>,
  origin: Origin,
  agentFolders: readonly string[],
): Promise<Sourced<SkillRoot>[]> {
  const own = settings.skills.map((value) => ({ value, origin }));
  const others: SkillRoot[] = [
    ...(settings.bundledSkills ? [{ path: bundledSkills, tier: 'local' as const }] : []),
    ...(settings.discoveredSkills ? agentFolders.map(discovered) : []),
  ];
  const ownPaths = await Promise.all(own.map(({ value }) => realPath(value.path)));
  const otherPaths = await Promise.all(others.map(({ path }) => realPath(path)));
  const added = others.filter((_, index) => !ownPaths.includes(otherPaths[index] ?? ''));
  return [...own, ...added.map((value) => ({ value, origin: 'default' as const }))];
}

function discovered(path: string): SkillRoot {
  return { path, tier: 'untrusted', discovered: true };
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
