/** A partial command line, as bash passes it. */
export interface TypedLine {
  /** The words before the cursor, without quotes, starting with the program's name. */
  before: readonly string[];
  /** The word at the cursor, without quotes; empty after a space. */
  word: string;
  /** The open quote that starts the word. */
  quote: "'" | '"' | undefined;
  /** The part of `word` that bash treats as an earlier word; it ends with one of `breaks`. May be empty. */
  passed: string;
}

/**
 * Splits a line into words like a POSIX shell. `breaks` are the characters at which readline starts a new word
 * (`COMP_WORDBREAKS`). Returns `undefined` for quotes within the word at the cursor, which cannot be completed safely.
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
      // Within double quotes a backslash only escapes these.
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
 * Quotes `value` for insertion at the cursor, without the part that bash treats as an earlier word. Returns `undefined` if
 * that is impossible.
 */
export function typedWord(value: string, { quote, passed }: TypedLine): string | undefined {
  if (!value.startsWith(passed)) return undefined;
  const rest = value.slice(passed.length);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Within double quotes, ! cannot be protected from history expansion in an interactive shell.
  if (quote === '"') return rest.includes('!') ? undefined : rest.replace(/[$`"\\]/g, '\\$&');
  return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
