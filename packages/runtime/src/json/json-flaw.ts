/** The first error in a JSON text and its position. */
export interface JsonFlaw {
  problem: string;
  /** In UTF-16 code units from the start. */
  offset: number;
}

/** The error with its line and column: "expected a value at line 1, column 2". */
export function flawText(text: string, { problem, offset }: JsonFlaw): string {
  const before = text.slice(0, offset).split('\n');
  return `${problem} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** Limits on a JSON text. */
export interface JsonBounds {
  depthMax: number;
  /**
   * All values (objects, arrays, strings, numbers, literals); absent: unlimited. Each takes far
   * more memory than text.
   */
  valuesMax?: number;
}

/** An object or array that is not closed yet. */
interface Open {
  /** The keys so far; `undefined` for an array. */
  keys: Set<string> | undefined;
}

/** The tokens that may come next. `first` is a value or key, or the end of the array or object just opened. */
type ExpectedToken = 'value' | 'first' | 'key' | 'colon' | 'end-of-value';

const literal = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const space = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a string must not contain them unescaped
const plain = /[^"\\\x00-\x1f]*/y;
// Many per match, because each match costs more than the characters it covers.
const escaped = /(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,256}/y;

/**
 * Checks a JSON text (RFC 8259) without building anything, in a loop, so deep nesting cannot
 * overflow the stack. Besides invalid JSON it finds what JSON allows but parsers may read
 * differently: a duplicate key in an object, the key `__proto__`, and more than the bounds allow.
 * `onCount` receives the number of values of a valid text.
 */
export function findFlaw(
  text: string,
  { depthMax, valuesMax = Number.POSITIVE_INFINITY }: JsonBounds,
  onCount: (values: number) => void = () => undefined,
): JsonFlaw | undefined {
  const open: Open[] = [];
  let values = 0;
  let expected: ExpectedToken = 'value';
  let offset = skipSpace(text, 0);

  while (offset < text.length) {
    const inside = open.at(-1);
    const character = text[offset];
    let next = offset + 1;
    if (inside === undefined && expected === 'end-of-value')
      return { problem: 'unexpected content after the end', offset };

    if (expected === 'end-of-value') {
      if (character === ',') expected = inside?.keys === undefined ? 'value' : 'key';
      else if (character === closing(inside)) open.pop();
      else return { problem: `expected a comma or ${closing(inside)}`, offset };
    } else if (expected === 'first' && character === closing(inside)) {
      open.pop();
      expected = 'end-of-value';
    } else if (expected === 'colon') {
      if (character !== ':') return { problem: 'expected a colon', offset };
      expected = 'value';
    } else if (expected === 'key' || (expected === 'first' && inside?.keys !== undefined)) {
      if (character !== '"') return { problem: 'expected a key in double quotes', offset };
      const end = endOfString(text, offset);
      if (typeof end !== 'number') return end;
      const flaw = noteKey(inside?.keys, text.slice(offset, end));
      if (flaw !== undefined) return { problem: flaw, offset };
      expected = 'colon';
      next = end;
    } else if (++values > valuesMax) {
      return { problem: `more than ${valuesMax} values`, offset };
    } else if (character === '{' || character === '[') {
      if (open.length === depthMax) return { problem: `more than ${depthMax} levels deep`, offset };
      open.push({ keys: character === '{' ? new Set() : undefined });
      expected = 'first';
    } else {
      const end = character === '"' ? endOfString(text, offset) : endOf(literal, text, offset);
      if (typeof end !== 'number') return end ?? { problem: 'expected a value', offset };
      expected = 'end-of-value';
      next = end;
    }
    offset = skipSpace(text, next);
  }
  if (open.length > 0 || expected !== 'end-of-value') return { problem: 'unexpected end', offset };
  onCount(values);
  return undefined;
}

function closing(inside: Open | undefined): string {
  return inside?.keys === undefined ? ']' : '}';
}

function noteKey(keys: Set<string> | undefined, quoted: string): string | undefined {
  const key: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
  if (key === '__proto__') return 'the key "__proto__" is not accepted';
  if (keys?.has(key)) return 'a duplicate key';
  keys?.add(key);
  return undefined;
}

/** The offset after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number | JsonFlaw {
  let offset = endOf(plain, text, start + 1) ?? text.length;
  while (text[offset] === '\\') {
    const end = endOf(escaped, text, offset);
    if (end === undefined) return { problem: 'an invalid escape', offset };
    offset = endOf(plain, text, end) ?? text.length;
  }
  if (text[offset] === '"') return offset + 1;
  return {
    problem: offset < text.length ? 'a control character inside a string' : 'unexpected end',
    offset,
  };
}

function skipSpace(text: string, offset: number): number {
  return endOf(space, text, offset) ?? offset;
}

/** The end of a match of a sticky pattern at `offset`. */
function endOf(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
