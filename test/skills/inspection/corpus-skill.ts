import type { InspectionRule } from '../../../packages/core/src/inspect.ts';

/** The files of a skill, by path. A `SKILL.md` without frontmatter gets one. */
export type Files = Readonly<Record<string, string | Uint8Array>> & { readonly 'SKILL.md': string };

/** The parts of a skill besides its files. */
export interface Surroundings {
  /** The id, which is the name if absent. */
  id?: string;
  links?: Readonly<Record<string, string>>;
  hidden?: readonly string[];
  otherIds?: readonly string[];
}

/**
 * A small skill of the corpus: the text of its only file, its files, or its files with their surroundings. Hosts end in
 * `.invalid`, tokens are made up, and nothing in it works.
 */
export type CorpusSkill = string | Files | (Surroundings & { files: Files });

/** Harmful skills, by the rule that should find them, and then by name. */
export type HarmfulSkills = Readonly<Partial<Record<InspectionRule, Readonly<Record<string, CorpusSkill>>>>>;
