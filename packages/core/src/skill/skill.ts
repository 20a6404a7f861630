import type { Tier } from '../capability/tier.ts';
import type { SkillManifest } from './manifest.ts';
import type { Run, Sidecar } from './sidecar.ts';

/** One file of a skill. */
export interface SkillFile {
  /** Relative to the skill's folder, with forward slashes. */
  path: string;
  bytes: number;
  /** SHA-256 of the content, hex. */
  sha256: string;
}

/** A skill as it was read from its folder, at one moment. */
export interface Skill {
  /** Its name where that is a valid one, else its folder's. Unique in a catalog. */
  id: string;
  manifest: SkillManifest;
  sidecar: Sidecar;
  /** The Markdown below the frontmatter. */
  body: string;
  /** `sha256:…` over its sorted list of files; see `digestText`. */
  digest: string;
  files: readonly SkillFile[];
  tier: Tier;
  /** Where it lies: an absolute path. */
  root: string;
  warnings: readonly string[];
}

/** A skill that can be executed. */
export interface ToolSkill extends Skill {
  readonly run: Run;
}

/** The skill as a tool, or `undefined` for one that only has instructions. */
export function asToolSkill(skill: Skill): ToolSkill | undefined {
  return skill.sidecar.run === undefined ? undefined : { ...skill, run: skill.sidecar.run };
}

/**
 * The text whose SHA-256 is a skill's digest: one line `path NUL size NUL sha256` for each file, in the order of the
 * paths' code units (design, section 3). NUL and newline cannot stand in a path that is listed here, so that no two
 * folders share a text.
 */
export function digestText(files: readonly SkillFile[]): string {
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path, bytes, sha256 }) => `${path}\0${bytes}\0${sha256}\n`)
    .join('');
}
