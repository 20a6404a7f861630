import { readManifest } from '../skill/manifest.ts';
import type { Skill } from '../skill/skill.ts';
import { someSkill } from './some-skill.ts';

/**
 * A skill for selection tests, parsed like any other. `sidecar` is the content of its `ambit.yaml`;
 * `frontmatter` is added to its `SKILL.md`.
 */
export function aSkill(
  id: string,
  sidecar: Record<string, unknown> = {},
  { body = `# ${id}\n`, ...frontmatter }: { body?: string; [field: string]: unknown } = {},
): Skill {
  const fields = { name: id, description: `what ${id} does`, ...frontmatter };
  const { manifest, alias, hiddenFrom } = readManifest(`---\n${JSON.stringify(fields)}\n---\n`, id);
  const skill = someSkill(id, { sidecar: JSON.stringify(sidecar), manifest, body, digest: `sha256:${id}` });
  if (alias !== undefined) skill.alias = alias;
  if (hiddenFrom.length > 0) skill.hiddenFrom = hiddenFrom;
  return skill;
}
