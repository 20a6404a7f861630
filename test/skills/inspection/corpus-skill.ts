import type { InspectionRule } from '../../../packages/core/src/internal.ts';

/** A small skill of the corpus. Hosts end in `.invalid`, tokens are made up, and nothing in it works. */
export interface CorpusSkill {
  /** Unique, for the lists of misses and false alarms. */
  name: string;
  /** For a harmful skill: the rule that should find it. */
  rule?: InspectionRule;
  /** By path. A text without frontmatter in `SKILL.md` gets one. */
  files: Readonly<Record<string, string | Uint8Array>>;
  links?: Readonly<Record<string, string>>;
  hidden?: readonly string[];
  otherIds?: readonly string[];
  id?: string;
}
