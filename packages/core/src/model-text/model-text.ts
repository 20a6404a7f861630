import type { Tier } from '../capability/tier.ts';
import type { Skill } from '../skill/skill.ts';
import { cutText } from './listed-text.ts';
import { oneLine } from './one-line.ts';
import { disarmMarkup } from './reserved-markup.ts';
import { visibleText } from './visible-text.ts';

/**
 * Text of a skill for a model to read outside of XML, such as a body or a file: the visible text, without markup that the
 * model or its harness takes for structure. Code in it is unchanged. In XML, use `xmlText`.
 */
export function modelText(text: string): string {
  return disarmMarkup(visibleText(text));
}

/**
 * Text of a skill for a model to read in a list, such as a description: the same, on one line, without any tag, and at most
 * `charactersMax` characters, which are the 1024 that the Agent Skills specification allows a description.
 */
export function modelLine(text: string, charactersMax?: number): string {
  const line = cutText(oneLine(visibleText(text)), charactersMax);
  return cutText(disarmMarkup(line).replace(anyTag, '&lt;'), charactersMax);
}

const anyTag = /[<\uFF1C\uFE64](?=[/!?|\p{L}])/gu;

/** The prefix of each text by which a model chooses among skills: empty unless the skill is untrusted. */
export function tierMark(tier: Tier): string {
  return tier === 'untrusted' ? '[untrusted] ' : '';
}

/** A skill's description for a list that a model reads, with its tier. */
export function modelDescription({ manifest, tier }: Pick<Skill, 'manifest' | 'tier'>): string {
  return modelLine(tierMark(tier) + manifest.description);
}
