import { markHidden } from '@ambit/core/prompt';

/**
 * Untrusted text, made safe to show on a terminal. Control, direction, zero-width and other hidden characters become
 * `\uFFFD`: they could redraw the terminal, or be copied unseen. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  // Terminals do not display line and paragraph separators (U+2028, U+2029).
  return markHidden(text.replace(/[\r\u2028\u2029]/g, '\uFFFD'));
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
