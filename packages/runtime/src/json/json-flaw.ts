/** The first thing that is wrong with a JSON text, and where. */
export interface JsonFlaw {
  problem: string;
  /** In UTF-16 code units from the start. */
  offset: number;
}

/** How much of it there may be. */
export interface JsonBounds {
  depthMax: number;
  /** Objects, arrays, strings, numbers and the like in all; absent: any number. Each takes far more memory than text. */
  valuesMax?: number;
}

/** An object or array that has been opened and not closed. */
interface Open {
  /** The keys so far; `undefined` for an array. */
  keys: Set<string> | undefined;
}

/** What may come next. `first` is a value or key, or the end of what was just opened. */
type Expected = 'value' | 'first' | 'key' | 'colon' | 'end-of-value';

const literal = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;
const space = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a string may not hold as they are
const plain = /[^"\\\x00-\x1f]*/y;
// A run of them at a time: each look at a pattern costs more than what it finds.
const escaped = /(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,256}/y;

/**
 * Reads a JSON text (RFC 8259) without building anything, in a loop, so that no nesting is too deep for it. Beside what
 * breaks the grammar it finds what JSON allows and no two readers need understand alike: a key that comes twice in an
 * object, `__proto__` as a key, and more than the bounds allow. `counted` is told how many values a text without a flaw has.
 */
export function findFlaw(
  text: string,
  { depthMax, valuesMax = Number.POSITIVE_INFINITY }: JsonBounds,
  counted: (values: number) => void = () => undefined,
): JsonFlaw | undefined {
  const open: Open[] = [];
  let values = 0;
  let expected: Expected = 'value';
  let offset = skipSpace(text, 0);

  while (offset < text.length) {
    const inside = open.at(-1);
    const character = text[offset];
    let next = offset + 1;
    if (inside === undefined && expected === 'end-of-value')
      return { problem: 'something follows the end', offset };

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
      if (open.length === depthMax) return { problem: `nested deeper than ${depthMax} levels`, offset };
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
  if (open.length > 0 || expected !== 'end-of-value') return { problem: 'the end comes too early', offset };
  counted(values);
  return undefined;
}

function closing(inside: Open | undefined): string {
  return inside?.keys === undefined ? ']' : '}';
}

function noteKey(keys: Set<string> | undefined, quoted: string): string | undefined {
  const key: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
  if (key === '__proto__') return 'the key "__proto__" is not accepted';
  if (keys?.has(key)) return 'a key that this object has already';
  keys?.add(key);
  return undefined;
}

/** The offset after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number | JsonFlaw {
  let offset = endOf(plain, text, start + 1) ?? text.length;
  while (text[offset] === '\\') {
    const end = endOf(escaped, text, offset);
    if (end === undefined) return { problem: 'an unknown escape', offset };
    offset = endOf(plain, text, end) ?? text.length;
  }
  if (text[offset] === '"') return offset + 1;
  return {
    problem: offset < text.length ? 'a control character inside a string' : 'the end comes too early',
    offset,
  };
}

function skipSpace(text: string, offset: number): number {
  return endOf(space, text, offset) ?? offset;
}

/** Where a match of a sticky pattern at `offset` ends. */
function endOf(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
