import { markHidden } from '@ambit/core/internal';

/**
 * Text of somebody else's, fit to be shown. Control and direction characters, with which a skill could redraw the terminal
 * around its words, become `\uFFFD`, and so do zero-width and other hidden characters, which a reader would copy unseen.
 * Line feeds and tabs stay.
 */
export function printable(text: string): string {
  // Terminals show separators of lines and paragraphs (U+2028, U+2029) as nothing.
  return markHidden(text.replace(/[\r\u2028\u2029]/g, '\uFFFD'));
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
