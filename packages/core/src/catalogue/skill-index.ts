import type { Tier } from '../capability/tier.ts';
import type { CountTokens } from '../prompt/count-tokens.ts';
import { metadataTokens } from '../quality/metadata-tokens.ts';
import { isExecutable, type Skill } from '../skill/skill.ts';

/** One skill as a catalogue lists it: enough to choose it by, and to know when it has changed. */
interface IndexedSkill {
  id: string;
  /** As its `SKILL.md` writes it; usually the id. */
  name: string;
  description: string;
  version: string | null;
  /** Empty: every phase. */
  phases: readonly string[];
  tags: readonly string[];
  /** Empty: anyone's. */
  agents: readonly string[];
  /** Lower comes first. */
  priority: number;
  tier: Tier;
  digest: string;
  executable: boolean;
  /** Of its folder, with forward slashes; relative to what, whoever writes the index says. */
  path: string;
  /** What it costs to list it and to activate it. */
  tokens: { metadata: number; body: number };
  warnings: readonly string[];
}

/** A catalogue of skills as a document. */
export interface SkillIndex {
  /** Of the format. Grows when a reader of the last one could misread it; new fields alone do not make it grow. */
  version: 1;
  /** By id, in the order of code units. */
  skills: readonly IndexedSkill[];
}

/** Lists skills as a document. The same skills give the same document, whatever order they come in. */
export function skillIndex(
  skills: readonly Skill[],
  { countTokens, pathOf }: { countTokens: CountTokens; pathOf: (skill: Skill) => string },
): SkillIndex {
  const entries = skills.map((skill): IndexedSkill => {
    const { id, manifest, sidecar, tier, digest, body, warnings } = skill;
    return {
      id,
      name: manifest.name,
      description: manifest.description,
      version: sidecar.version ?? null,
      phases: sidecar.phases,
      tags: sidecar.tags,
      agents: sidecar.agents,
      priority: sidecar.priority,
      tier,
      digest,
      executable: isExecutable(skill),
      path: pathOf(skill),
      tokens: { metadata: metadataTokens(manifest, countTokens), body: countTokens(body) },
      warnings,
    };
  });
  return { version: 1, skills: entries.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)) };
}
