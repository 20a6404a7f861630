import type { Tier } from '../capability/tier.ts';
import { cutText } from './listed-text.ts';
import { oneLine } from './one-line.ts';
import { disarmMarkup } from './reserved-markup.ts';
import { visibleText } from './visible-text.ts';

/**
 * A skill's text, such as a body or a file, for a model outside XML: the visible text without
 * markup that a model or its harness interprets. Code is unchanged. In XML, use `xmlText`.
 */
export function modelText(text: string): string {
  return disarmMarkup(visibleText(text));
}

/**
 * A skill's text, such as a description, for a list that a model reads: the same on one line,
 * without tags, limited to `charactersMax` characters. The default is 1024, the limit for
 * descriptions in the Agent Skills specification.
 */
export function modelLine(text: string, charactersMax?: number): string {
  const line = cutText(oneLine(visibleText(text)), charactersMax);
  return cutText(disarmMarkup(line).replace(anyTag, '&lt;'), charactersMax);
}

const anyTag = /[<\uFF1C\uFE64](?=[/!?|\p{L}])/gu;

/**
 * The prefix for each text by which a model chooses among skills. Empty unless the skill is
 * untrusted.
 */
export function tierMark(tier: Tier): string {
  return tier === 'untrusted' ? '[untrusted] ' : '';
}

/** A skill's description for a list that a model reads, with its tier; see `modelLine`. */
export function modelDescription(
  skill: { manifest: { description: string }; tier: Tier },
  charactersMax?: number,
): string {
  return modelLine(tierMark(skill.tier) + skill.manifest.description, charactersMax);
}
