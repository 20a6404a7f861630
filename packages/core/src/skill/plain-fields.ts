/** Letters and marks without a meaning in YAML, anywhere in a value. */
const letters = String.raw`A-Za-z0-9_\u00C0-\u024F\u2013\u2014\u2019\u201C\u201D\u2026`;

/**
 * A value on one line that begins with a letter. `: ` and ` #`, which would end it, are checked
 * separately.
 */
const plainText = new RegExp(String.raw`^[A-Za-z][ ${letters}.,;:!?()'"/+*@=<>&%#~|{}\[\]-]*$`);
const plainNumber = /^(0|[1-9][0-9]{0,14})$/;
const plainVersion = /^[0-9]+\.[0-9]+\.[0-9]+$/;
const plainWord = new RegExp(`^[A-Za-z][${letters}./-]*$`);
const field = /^([A-Za-z][A-Za-z0-9_-]*): +(.*)$/;

/** Too short to exceed the limit on tokens; see `whyTooLarge`. */
const charactersMax = 4096;

/** Words that YAML 1.2 does not read as strings. */
const notText = /^(true|false|null)$/i;

type Fields = Record<string, unknown>;

/**
 * Parses a YAML document that has only lines such as `name: some text`, `version: 1.2.0`,
 * `priority: 40` and `phases: [plan, test]`, and the same lines indented below a field such as
 * `metadata:`. The result equals the parser's. `undefined` for any other document, including
 * invalid ones and documents of more than 4096 characters. The time is linear in the length.
 */
export function plainFields(text: string): Fields | undefined {
  if (text.length > charactersMax) return undefined;
  const fields: Fields = {};
  /**
   * The fields and indentation of the current nested mapping. `indent` is unknown until its first
   * line.
   */
  let inner: { fields: Fields; indent: string | undefined } | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const indent = /^ */.exec(line)?.[0] ?? '';
    if (indent === '') {
      if (inner?.indent === undefined && inner !== undefined) return undefined;
      inner = beginning(line, fields);
      if (inner === undefined && !takeField(line, fields)) return undefined;
    } else {
      if (inner === undefined || (inner.indent ?? indent) !== indent) return undefined;
      inner.indent = indent;
      if (!takeField(line.slice(indent.length), inner.fields)) return undefined;
    }
  }
  const isWhole = inner === undefined || inner.indent !== undefined;
  return isWhole && Object.keys(fields).length > 0 ? fields : undefined;
}

/** Adds an empty mapping for a line that has only a name, and returns it. */
function beginning(line: string, fields: Fields): { fields: Fields; indent: undefined } | undefined {
  const name = /^([A-Za-z][A-Za-z0-9_-]*): *$/.exec(line)?.[1];
  if (name === undefined || !isFree(name, fields)) return undefined;
  const inner: Fields = {};
  fields[name] = inner;
  return { fields: inner, indent: undefined };
}

function takeField(line: string, fields: Fields): boolean {
  const [, name, written] = field.exec(withoutBlanksBehind(line)) ?? [];
  const value = written === undefined ? undefined : plainValue(written);
  if (name === undefined || value === undefined || !isFree(name, fields)) return false;
  fields[name] = value;
  return true;
}

/** A loop, because a regular expression for trailing blanks backtracks at every blank. */
function withoutBlanksBehind(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

/** Duplicate fields are left to the parser, which refuses them. */
function isFree(name: string, fields: Fields): boolean {
  return !notText.test(name) && !Object.hasOwn(fields, name);
}

function plainValue(written: string): unknown {
  if (plainNumber.test(written)) return Number(written);
  if (written.startsWith('[') && written.endsWith(']')) return plainList(written.slice(1, -1));
  if (plainVersion.test(written)) return written;
  const isText = plainText.test(written) && !/:( |$)| #/.test(written) && !notText.test(written);
  return isText ? written : undefined;
}

function plainList(written: string): string[] | undefined {
  const words = written.split(',').map((word) => word.trim());
  return words.every((word) => plainWord.test(word) && !notText.test(word)) ? words : undefined;
}
