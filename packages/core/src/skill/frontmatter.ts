import { thrownText } from '../outcome/thrown-text.ts';
import { lenientFields } from './lenient-fields.ts';
import { parseYaml, YamlTooLarge } from './parse-yaml.ts';

/** The two parts of a `SKILL.md`. */
export interface SplitSkillFile {
  /** The frontmatter as written; `undefined` for a file without it. */
  yaml: string | undefined;
  /** `undefined` for a file without frontmatter. */
  fields: Record<string, unknown> | undefined;
  body: string;
  /** The mistakes that a strict YAML reader refuses, a sentence each. Empty: it reads the same fields. */
  mistakes: readonly string[];
}

/**
 * Separates the frontmatter of a `SKILL.md` from its body; see `cutSkillFile`.
 *
 * Frontmatter that is not YAML is read field by field; see `lenientFields`. Frontmatter that is
 * YAML has the values that YAML gives it.
 *
 * Throws an `Error` with one sentence if the block does not end, is too long, has a key twice or
 * does not begin with a field.
 */
export function splitSkillFile(text: string): SplitSkillFile {
  const { frontmatter, body } = cutSkillFile(text);
  if (frontmatter === undefined) return { yaml: undefined, fields: undefined, body, mistakes: [] };
  const { yaml, startLine } = frontmatter;
  const { fields, mistakes } = parseFields(yaml, startLine);
  return { yaml, fields, body, mistakes: startLine === 1 ? mistakes : [startsLate(startLine), ...mistakes] };
}

/** The warning about frontmatter below line 1. */
export function startsLate(startLine: number): string {
  return `the frontmatter starts on line ${startLine}, where other tools do not find it; move what is above it below it`;
}

/** A frontmatter as written, without its fences. */
export interface Frontmatter {
  yaml: string;
  /** The lines of its fences, starting at 1. */
  startLine: number;
  endLine: number;
}

/**
 * The unparsed frontmatter, and the text below it. Accepts a byte order mark, CRLF and trailing
 * blanks on the fences. Only a line that consists of `---` ends the block, not `---` inside a value.
 * Blank lines, HTML comments and lines of a license may be above a block that has a `name` or a
 * `description`, and are not part of the body. Throws an `Error` if the block does not end.
 */
function cutSkillFile(text: string): { frontmatter: Frontmatter | undefined; body: string } {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const start = endOfPreamble(whole);
  const opening = /---[^\S\n]*(?:\n|$)/y;
  opening.lastIndex = start;
  const [first] = opening.exec(whole) ?? [];
  if (first === undefined) return { frontmatter: undefined, body: whole };
  const closing = /\n---[^\S\n]*(?=\n|$)/g;
  closing.lastIndex = start + first.length - 1;
  const last = closing.exec(whole);
  const yaml = last === null ? '' : whole.slice(start + first.length, last.index);
  if (start > 0 && !/^[ \t]*(?:name|description)[ \t]*:/m.test(yaml))
    return { frontmatter: undefined, body: whole };
  if (last === null)
    throw new Error('the frontmatter does not end; add a line with --- after the last field');
  const startLine = linesIn(whole.slice(0, start));
  const endLine = linesIn(whole.slice(0, last.index)) + 1;
  return { frontmatter: { yaml, startLine, endLine }, body: whole.slice(closing.lastIndex).trim() };
}

/** The frontmatter; `undefined` for a file without a complete one. */
export function frontmatterBlock(text: string): Frontmatter | undefined {
  try {
    return cutSkillFile(text).frontmatter;
  } catch {
    return undefined;
  }
}

/** The offset of the first line that is not blank, an HTML comment or part of a license. */
function endOfPreamble(text: string): number {
  const line =
    /[^\S\n]*(?:(?:(?:#|\/\/)[^\S\n]*)?(?:SPDX-|Copyright\b|\(c\)|©|Licensed under\b|All rights reserved\b)[^\n]*)?\n/iy;
  let at = 0;
  for (;;) {
    line.lastIndex = at;
    if (line.test(text)) at = line.lastIndex;
    else if (text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at);
      if (end === -1) return at;
      line.lastIndex = end + 3;
      if (!line.test(text)) return at;
      at = line.lastIndex;
    } else return at;
  }
}

function linesIn(text: string): number {
  return text.split('\n').length;
}

function parseFields(
  yaml: string,
  startLine: number,
): Pick<SplitSkillFile, 'mistakes'> & { fields: Record<string, unknown> } {
  let value: unknown;
  try {
    value = parseYaml(yaml, startLine);
  } catch (error) {
    if (error instanceof YamlTooLarge) throw new Error(`the frontmatter ${error.message}`);
    const mistake = `the frontmatter is not YAML: ${firstLine(error)}`;
    const lenient = lenientFields(yaml, startLine);
    if (lenient === undefined) throw new Error(mistake, { cause: error });
    return { fields: lenient.fields, mistakes: [mistake, ...lenient.mistakes] };
  }
  if (value === null || value === undefined) return { fields: {}, mistakes: [] };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Error('the frontmatter is not a list of "field: value" lines');
  }
  return { fields: value as Record<string, unknown>, mistakes: [] };
}

function firstLine(error: unknown): string {
  return thrownText(error).split('\n', 1)[0] ?? '';
}
