/** A command line as far as it has been typed, as bash hands it over. */
export interface TypedLine {
  /** What stands before the word at the cursor, without quotes; the program's name first. */
  before: readonly string[];
  /** The word at the cursor, without quotes; empty after a blank. */
  word: string;
  /** The quote that the word began with and that is still open. */
  quote: "'" | '"' | undefined;
  /** What of `word` bash takes for a word before: it ends with one of `breaks`. Empty where there is none. */
  passed: string;
}

/**
 * Reads a line as a POSIX shell takes words apart. `breaks` are the characters at which readline begins a word anew
 * (`COMP_WORDBREAKS`). `undefined` where quotes stand within the word at the cursor: nothing could be put there safely.
 */
export function readTypedLine(line: string, breaks: string): TypedLine | undefined {
  const words: string[] = [];
  let word = '';
  let begun = false;
  let quote: TypedLine['quote'];
  let quotes = 0;
  let opensWord = false;
  let passed = 0;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string;
    if (quote !== undefined && character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      quotes += 1;
      opensWord = !begun;
      begun = true;
    } else if (character === '\\' && quote !== "'") {
      const next = line[at + 1] ?? '';
      // Within double quotes a backslash is itself, but before these.
      word += quote === '"' && !'$`"\\'.includes(next) ? `\\${next}` : next;
      begun = true;
      at += 1;
    } else if (quote === undefined && /[ \t\n]/.test(character)) {
      if (begun) words.push(word);
      [word, begun, quotes, passed] = ['', false, 0, 0];
    } else {
      word += character;
      begun = true;
      if (quote === undefined && breaks.includes(character)) passed = word.length;
    }
  }
  if (quotes > 0 && (quotes > 1 || quote === undefined || !opensWord)) return undefined;
  return { before: words, word, quote, passed: quote === undefined ? word.slice(0, passed) : '' };
}

/**
 * A word as it is put at the cursor for bash to read it as `value`; `undefined` where that cannot be. What bash takes for
 * a word before is left out.
 */
export function typedWord(value: string, { quote, passed }: TypedLine): string | undefined {
  if (!value.startsWith(passed)) return undefined;
  const rest = value.slice(passed.length);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Within double quotes nothing keeps a shell that is typed at from taking ! for its history.
  if (quote === '"') return rest.includes('!') ? undefined : rest.replace(/[$`"\\]/g, '\\$&');
  return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
