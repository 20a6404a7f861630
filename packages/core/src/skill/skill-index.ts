import type { Tier } from '../capability/tier.ts';
import type { CountTokens } from '../model-text/count-tokens.ts';
import type { SkillManifest } from './manifest.ts';
import { isExecutable, type Skill } from './skill.ts';

/** A skill in a catalogue: enough to choose it and to detect changes. */
interface IndexedSkill {
  id: string;
  /** Its other id; see `Skill.alias`. */
  alias: string | null;
  /** From its `SKILL.md`; usually the id. */
  name: string;
  description: string;
  version: string | null;
  /** Empty: every phase. */
  phases: readonly string[];
  tags: readonly string[];
  /** Empty: any agent. */
  agents: readonly string[];
  /** Lower values come first. */
  priority: number;
  tier: Tier;
  digest: string;
  executable: boolean;
  /**
   * The path of its folder, with forward slashes. The writer of the index defines what it is relative to.
   */
  path: string;
  /** The cost of listing and of activating it. */
  tokens: { metadata: number; body: number };
  warnings: readonly string[];
}

/** A catalogue of skills as a document. */
export interface SkillIndex {
  /**
   * The version of the format. Increases when readers of the previous version could misread it, not for new
   * fields.
   */
  version: 1;
  /** By id, in code-unit order. */
  skills: readonly IndexedSkill[];
}

/**
 * Lists skills as a document. The same skills give the same document, regardless of their order.
 */
export function skillIndex(
  skills: readonly Skill[],
  { countTokens, pathOf }: { countTokens: CountTokens; pathOf: (skill: Skill) => string },
): SkillIndex {
  const entries = skills.map((skill): IndexedSkill => {
    const { id, alias, manifest, sidecar, tier, digest, body, warnings } = skill;
    return {
      id,
      alias: alias ?? null,
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

/**
 * The tokens that a skill costs every prompt that lists it: its name and description, without
 * markup.
 */
export function metadataTokens(
  { name, description }: Pick<SkillManifest, 'name' | 'description'>,
  countTokens: CountTokens,
): number {
  return countTokens(`${name}: ${description}`);
}
