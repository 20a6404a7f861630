import type { CountTokens } from '../../model-text/count-tokens.ts';
import { modelText } from '../../model-text/model-text.ts';
import { skillIndexEntry } from '../../select/agent-index.ts';
import type { Skill } from '../../skill/skill.ts';
import { filledBody } from '../filled-body.ts';
import { indexEntry } from '../skills-index.ts';
import { skillTags } from '../xml/skill-element.ts';
import { skillMetadata } from '../xml/skill-metadata.ts';
import { xmlText } from '../xml/xml-text.ts';
import type { CountedText } from './block.ts';

/** The texts of a skill for a prompt. */
export interface SkillTexts {
  metadata(skill: Skill): CountedText;
  index(skill: Skill): CountedText;
  /** Escaped, without its tags. */
  xmlBody(skill: Skill): CountedText;
  xmlTags(skill: Skill): { open: CountedText; close: CountedText };
  /** Ends with a line feed like a file. */
  plainBody(skill: Skill): CountedText;
  /** The placeholders in its body that have no value. */
  left(skill: Skill): readonly string[];
}

/**
 * Builds and counts each text once per skill object. A skill that is read again is a new object. Paths of an index
 * below the folder `relativeTo` are relative to it.
 */
export function skillTexts(count: (text: string) => CountedText, relativeTo: string | undefined): SkillTexts {
  return {
    metadata: once((skill) => count(skillMetadata(skill))),
    index: once((skill) => count(indexEntry(skillIndexEntry(skill, relativeTo)))),
    xmlBody: once((skill) => count(xmlText(filledBody(skill).text))),
    xmlTags: once((skill) => {
      const { open, close } = skillTags(skill);
      return { open: count(open), close: count(close) };
    }),
    plainBody: once((skill) => {
      const { text } = filledBody(skill);
      return count(modelText(text.endsWith('\n') ? text : `${text}\n`));
    }),
    left: once((skill) => filledBody(skill).left),
  };
}

/** A text with its tokens. */
export function counting(countTokens: CountTokens): (text: string) => CountedText {
  return (text) => ({ text, tokens: text === '' ? 0 : countTokens(text) });
}

/**
 * The same with a cache for recurring texts such as system prompts. The cache is cleared when it is
 * full.
 */
export function remembering(count: (text: string) => CountedText): (text: string) => CountedText {
  const textsMax = 32;
  const known = new Map<string, CountedText>();
  return (text) => {
    const counted = known.get(text) ?? count(text);
    if (known.size >= textsMax) known.clear();
    known.set(text, counted);
    return counted;
  };
}

function once<Value>(make: (skill: Skill) => Value): (skill: Skill) => Value {
  const made = new WeakMap<Skill, Value>();
  return (skill) => {
    const known = made.get(skill);
    if (known !== undefined) return known;
    const value = make(skill);
    made.set(skill, value);
    return value;
  };
}
