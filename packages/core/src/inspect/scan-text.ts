/** A pattern that is searched for near certain words. */
export interface TextPattern {
  /**
   * Words in lower case, of `a-z0-9_`. The pattern runs only where one of them is in the text. Empty:
   * everywhere.
   */
  words: readonly string[];
  /**
   * Global. No repetition in it is longer than `matchCharactersMax`, so the time for a window is
   * bounded.
   */
  pattern: RegExp;
}

/** One match of a pattern. */
export interface TextMatch {
  /** In the text. */
  index: number;
  text: string;
  groups: readonly (string | undefined)[];
}

const windowStep = 1000;

/** A longer match can be missed, because it can span two windows. */
const matchCharactersMax = 400;

/** More matches of one pattern in one text are not collected. */
export const matchesMax = 10_000;

/**
 * The matches of each pattern. Reads the text in overlapping windows of a fixed size, whatever the
 * length of its lines, so the time is proportional to the length of the text.
 *
 * `onWindow` is called with the size of each window, for tests of the bound.
 */
export function scanText<Pattern extends TextPattern>(
  text: string,
  patterns: readonly Pattern[],
  onWindow?: (characters: number) => void,
): Map<Pattern, TextMatch[]> {
  const found = new Map<Pattern, TextMatch[]>();
  const everywhere = patterns.filter(({ words }) => words.length === 0);
  const byWord = new Map<string, Pattern[]>();
  for (const pattern of patterns)
    for (const word of pattern.words) byWord.set(word, [...(byWord.get(word) ?? []), pattern]);
  const joined = withoutLineContinuations(text);
  for (let start = 0; start === 0 || start < joined.length; start += windowStep) {
    const window = joined.slice(start, start + windowStep + matchCharactersMax);
    onWindow?.(window.length);
    const wanted = new Set(everywhere);
    for (const [word] of window.toLowerCase().matchAll(/[a-z0-9_]+/g))
      for (const pattern of byWord.get(word) ?? []) wanted.add(pattern);
    for (const pattern of wanted) collect(found, pattern, window, start);
  }
  return found;
}

function collect<Pattern extends TextPattern>(
  found: Map<Pattern, TextMatch[]>,
  pattern: Pattern,
  window: string,
  start: number,
): void {
  const matches = found.get(pattern) ?? [];
  const last = matches.at(-1);
  for (const match of window.matchAll(pattern.pattern)) {
    const index = start + match.index;
    // The window before has found it, or it began there in the middle of a word.
    if (start > 0 && (match.index === 0 || (last !== undefined && index < last.index + last.text.length)))
      continue;
    if (matches.length >= matchesMax) break;
    matches.push({ index, text: match[0], groups: match.slice(1) });
  }
  if (matches.length > 0) found.set(pattern, matches);
}

/** The same length, so that positions stay. A command may continue on the next line. */
function withoutLineContinuations(text: string): string {
  return text.replaceAll('\\\n', '  ').replaceAll('\\\r\n', '   ');
}

/** Finds the line of a position, starting at 1. */
export function lineFinder(text: string): (index: number) => number {
  const starts: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
