/** Letters and marks that mean nothing to YAML, wherever in a value they stand. */
const letters = String.raw`A-Za-z0-9_\u00C0-\u024F\u2013\u2014\u2019\u201C\u201D\u2026`;

/** A value that begins with a letter and is on one line; `: ` and ` #` would end it, and are looked for apart. */
const plainText = new RegExp(String.raw`^[A-Za-z][ ${letters}.,;:!?()'"/+*@=<>&%#~|{}\[\]-]*$`);
const plainNumber = /^(0|[1-9][0-9]{0,14})$/;
const plainVersion = /^[0-9]+\.[0-9]+\.[0-9]+$/;
const plainWord = new RegExp(`^[A-Za-z][${letters}./-]*$`);
const field = /^([A-Za-z][A-Za-z0-9_-]*): +(.*)$/;

/** So few cannot hold more tokens than are read; see `whyTooLarge`. */
const charactersMax = 4096;

/** Words that YAML 1.2 reads as something else than text. */
const notText = /^(true|false|null)$/i;

type Fields = Record<string, unknown>;

/**
 * The fields of a YAML document that has nothing but lines such as `name: some text`, `version: 1.2.0`, `priority: 40` and
 * `phases: [plan, test]`, and such lines indented below a `metadata:`, for which the result is what a parser would give;
 * `undefined` for any other, also one that is wrong or has more than 4096 characters. Takes time by the text's length alone.
 */
export function plainFields(text: string): Fields | undefined {
  if (text.length > charactersMax) return undefined;
  const fields: Fields = {};
  /** Where lines with this indentation belong; none yet below a field that has just begun. */
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

/** The fields below a line that has only a name; they are among `fields` by then. */
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

/** By hand: an expression that looks for blanks at the end tries at each blank in between. */
function withoutBlanksBehind(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

/** A field that is there twice is for the parser to refuse. */
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
