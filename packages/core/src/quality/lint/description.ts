import { frontmatterBlock } from '../../skill/frontmatter.ts';
import type { SkillManifest } from '../../skill/manifest.ts';
import { yamlLines } from '../yaml-lines.ts';
import { finding, type LintFinding, type LintRule } from './rules.ts';

/** Checks whether the description alone tells a model what the skill does and when to use it. */
export function lintDescription({ description }: SkillManifest, skillMd: string): LintFinding[] {
  const block = frontmatterBlock(skillMd);
  const line = block === undefined ? null : yamlLines(block.yaml, block.startLine).lineOf(['description']);
  const found = (rule: LintRule, message: string): LintFinding => finding(rule, 'SKILL.md', line, message);
  const findings: LintFinding[] = [];
  if (!saysWhen.test(description) && !otherScript.test(description)) {
    findings.push(
      found(
        'description-when',
        'the description does not say when to use the skill; add a sentence such as "Use it when …"',
      ),
    );
  }
  if (speaksAsSomebody.test(description)) {
    findings.push(
      found(
        'description-person',
        'write the description in the third person ("Profiles a CSV file"); in a prompt, "I" and "you" mean someone else',
      ),
    );
  }
  const words = new Set(description.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu));
  if (words.size < wordsFewest && !otherScript.test(description)) {
    findings.push(
      found(
        'description-vague',
        `the description has ${words.size} different words of four letters or more; name what the skill works on, in words that a request would contain`,
      ),
    );
  }
  return findings;
}

const wordsFewest = 5;

const saysWhen =
  /\b(use[ds]?|using|useful|when|whenever|while|if|before|after|during|invoke[ds]?|trigger(s|ed)?|asked|needs?|needed)\b/i;

/**
 * Other languages word it differently. Only those in a script other than Latin are recognized and
 * skipped.
 */
const otherScript = /(?!\p{Script=Latin})\p{L}/u;

const speaksAsSomebody = /\b(I|I'm|I’m|I'll|I’ll)\b(?![/.]\w)|\b(my|we|our|let me)\b|^you\b/;
