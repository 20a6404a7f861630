/**
 * Text of somebody else's, fit to be shown: control and direction characters, with which a skill could redraw the
 * terminal around its words, become `\uFFFD`. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
