import type { Skill } from '../../skill/skill.ts';

/**
 * The tools of the agent that a skill asks for; `undefined` for one that says nothing of tools. Without `tools` in its
 * sidecar the names in the manifest's `allowed-tools` count: `Bash(git:*)` asks for Bash.
 */
export function toolsOf({
  sidecar,
  manifest,
}: Pick<Skill, 'sidecar' | 'manifest'>): readonly string[] | undefined {
  if (sidecar.tools !== undefined) return sidecar.tools;
  if (manifest.allowedTools.length === 0) return undefined;
  const names = manifest.allowedTools
    .join(' ')
    .replace(/\([^)]*(?:\)|$)/g, ' ')
    .split(/[\s,)]+/)
    .filter(Boolean);
  return names.length === 0 ? undefined : names;
}
