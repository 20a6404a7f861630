import { visibleText } from './visible-text.ts';

/**
 * The limit for descriptions in the Agent Skills specification. Longer ones only cause a warning
 * when loaded.
 */
const descriptionCharactersMax = 1024;

/**
 * The visible text of a skill's name or description, truncated so that no skill fills the listing.
 */
export function listedText(text: string): string {
  return cutText(visibleText(text));
}

/** Truncates a text to this many characters, the last of which is then `…`. */
export function cutText(text: string, charactersMax = descriptionCharactersMax): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
}
