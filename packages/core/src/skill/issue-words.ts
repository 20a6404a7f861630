import type { z } from 'zod';

/**
 * Describes the mistake in one value and the remedy, without its location. Messages of our own
 * schemas are used unchanged; messages of the schema library are reworded. `document` is the parsed
 * document.
 */
export function issueWords(issue: z.core.$ZodIssue, document: unknown): string {
  if (!libraryWords.test(issue.message)) return issue.message;
  return wordsFor(issue, valueAt(document, issue.path));
}

/** The beginnings of the schema library's messages. None of our own begin like them. */
const libraryWords = /^(?:Invalid\b|Too (?:big|small)\b|Unrecognized\b|Unknown\b|No matching\b)/;

function wordsFor(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return write([kinds[issue.expected] ?? 'a value'], value);
    case 'invalid_value':
      return write(issue.values.map(String), value);
    case 'invalid_union':
      return unionWords(issue, value);
    case 'too_small':
      return boundWords(issue.inclusive === false ? 'greater than' : 'at least', issue.minimum, issue.origin);
    case 'too_big':
      return boundWords(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin);
    case 'invalid_key':
    case 'invalid_element': {
      const [inner] = issue.issues;
      const name = JSON.stringify(cut(String(issue.path.at(-1))));
      return inner === undefined ? `${name} is not allowed here` : `${name}: ${issueWords(inner, undefined)}`;
    }
    case 'invalid_format':
      return issue.format === 'regex'
        ? `write a string of the form ${issue.pattern}`
        : `write a string of the form ${issue.format}`;
    case 'not_multiple_of':
      return `write a multiple of ${issue.divisor}`;
    default:
      return 'this value is not allowed here';
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'null',
};

/** A place and the words about it, as a sentence. */
export function atPlace(at: string, words: string): string {
  return words.startsWith(missing) ? `${at} ${words}` : `${at}: ${words}`;
}

/** The message of the member that nearly matched, or a list of what every member accepts. */
function unionWords(issue: Extract<z.core.$ZodIssue, { code: 'invalid_union' }>, value: unknown): string {
  if (issue.discriminator !== undefined) {
    const { discriminator, options } = issue as { discriminator: string; options?: readonly unknown[] };
    const found = (value as Record<string, unknown> | null | undefined)?.[discriminator] ?? value;
    return options === undefined ? `write a ${discriminator} that exists` : write(options.map(String), found);
  }
  const deeper = issue.errors.flat().find(({ path }) => path.length > 0);
  if (deeper !== undefined) return atPlace(deeper.path.map(String).join('.'), issueWords(deeper, value));
  const wanted = issue.errors.flat().flatMap((each): string[] => {
    if (each.code === 'invalid_type') return [kinds[each.expected] ?? 'a value'];
    return each.code === 'invalid_value' ? each.values.map(String) : [];
  });
  const own = issue.errors.flat().find(({ message }) => !libraryWords.test(message));
  if (own !== undefined) return own.message;
  return wanted.length === 0 ? 'this value is not allowed here' : write([...new Set(wanted)], value);
}

function boundWords(bound: string, count: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'item', set: 'item', map: 'entry' }[origin];
  if (unit === undefined) return `must be ${bound} ${count}`;
  return `write ${bound} ${count} ${count === 1 ? unit : unit === 'entry' ? 'entries' : `${unit}s`}`;
}

/** The beginning of the words for an absent value: a predicate of the place. */
const missing = 'is missing';

/**
 * Shows strings only where a short word or a number belongs. Elsewhere a string can be a secret.
 */
function write(wanted: readonly string[], value: unknown): string {
  const list =
    wanted.length < 3 ? wanted.join(' or ') : `${wanted.slice(0, -1).join(', ')} or ${wanted.at(-1)}`;
  if (value === undefined) return `${missing}; write ${list}`;
  const isComposite = wanted.some((each) => each === 'a list' || each === 'a mapping');
  return `write ${list}, not ${isComposite ? kindOf(value) : shown(value)}`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return 'a string';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

const shownCharactersMax = 40;

function cut(text: string): string {
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
}

function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step],
    document,
  );
}
