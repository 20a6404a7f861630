import { visibleText } from './visible-text.ts';

/** What the Agent Skills specification allows a description; loading only warns of more. */
const descriptionCharactersMax = 1024;

/** The visible text of a skill's name or description, cut so that no skill fills the listing. */
export function listedText(text: string): string {
  return cutText(visibleText(text));
}

/** At most so many characters, the last of which is `…` where something is missing. */
export function cutText(text: string, charactersMax = descriptionCharactersMax): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
}
