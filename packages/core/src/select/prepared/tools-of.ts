import type { Skill } from '../../skill/skill.ts';

/**
 * The agent's tools that a skill requests; `undefined` if it does not mention tools. Without
 * `tools` in its sidecar, the names in the manifest's `allowed-tools` count: `Bash(git:*)` requests
 * Bash.
 */
export function toolsOf({
  sidecar,
  manifest,
}: Pick<Skill, 'sidecar' | 'manifest'>): readonly string[] | undefined {
  if (sidecar.tools !== undefined) return sidecar.tools;
  if (manifest.allowedTools.length === 0) return undefined;
  const names = manifest.allowedTools.map((tool) => tool.replace(/\(.*/s, '')).filter(Boolean);
  return names.length === 0 ? undefined : names;
}
