/**
 * A text on one line: line breaks and other runs of blanks become one blank, so that no value looks
 * like a line of ours. Other control characters, which no name or description needs, become U+FFFD.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(/\p{Cc}/gu, '\uFFFD')
    .trim();
}
