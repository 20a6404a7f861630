/**
 * The beginning of a text longer than `characters` (UTF-16 units), cut at the end of a line if one
 * is near.
 *
 * @param {string} text
 * @param {number} characters
 */
export function cut(text, characters) {
  if (text.length <= characters) return { text, truncated: false };
  const line = text.lastIndexOf('\n', characters);
  const end = line > characters * 0.8 ? line : characters;
  // Removes half a character at the end.
  return { text: text.slice(0, end).replace(/[\ud800-\udbff]$/, ''), truncated: true };
}

/**
 * A code block that the text cannot end: its fence is longer than any inside.
 *
 * @param {string} text
 * @param {string} language
 */
export function fenced(text, language) {
  if (text === '') return '';
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
