/**
 * Describes a text that has no description: its first heading and its first sentence, or `otherwise` if
 * it has neither. Skips fenced code.
 */
export function describeMarkdown(text: string, otherwise: string): string {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .split(/\r?\n/);
  const heading = lines.find((line) => /^#{1,6}\s+\S/.test(line))?.replace(/^#+\s+/, '');
  const words = lines.find((line) => /^[\p{L}\p{N}*_`"'([]/u.test(line) && !/^[-*]{3,}\s*$/.test(line));
  const sentence = words === undefined ? undefined : /^.*?[.!?](?=\s|$)|^.*$/u.exec(words)?.[0];
  const found = [heading, sentence === undefined ? undefined : withoutMarkup(sentence)]
    .map((part) => plainLine(part ?? ''))
    .filter(Boolean);
  return found.join(': ') || otherwise;
}

/** Without emphasis and code marks. An underscore inside a word, and all that is inside code, stays. */
function withoutMarkup(text: string): string {
  const outer = /[*`]+|(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu;
  return text
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? part.slice(1, -1) : part.replace(outer, '')))
    .join('');
}

/**
 * Puts text on one line and removes invalid characters, for a skill's files. For prompts, core's
 * `oneLine` marks what it removed.
 */
export function plainLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
}
