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
  /** What a strict YAML reader refuses, a sentence each. Empty: it reads the same fields. */
  mistakes: readonly string[];
}

/**
 * Separates the frontmatter of a `SKILL.md` from its body. Accepts a byte order mark, CRLF and
 * trailing blanks on the fences. Only a line that consists of `---` ends the block, not `---`
 * inside a value.
 *
 * Frontmatter that is not YAML is read field by field; see `lenientFields`. Frontmatter that is
 * YAML has the values that YAML gives it.
 *
 * Throws an `Error` with one sentence if the block does not end, is too long, has a key twice or
 * does not begin with a field.
 */
export function splitSkillFile(text: string): SplitSkillFile {
  const { yaml, body } = cutSkillFile(text);
  if (yaml === undefined) return { yaml, fields: undefined, body, mistakes: [] };
  const { fields, mistakes } = parseFields(yaml);
  return { yaml, fields, body, mistakes };
}

/**
 * The unparsed YAML between the fences, and the text below them. Throws an `Error` if the block
 * does not end.
 */
export function cutSkillFile(text: string): { yaml: string | undefined; body: string } {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const first = /^---[^\S\n]*(?:\n|$)/.exec(whole)?.[0];
  if (first === undefined) return { yaml: undefined, body: whole };
  const fence = /\n---[^\S\n]*(?=\n|$)/g;
  fence.lastIndex = first.length - 1;
  const last = fence.exec(whole);
  if (last === null)
    throw new Error('the frontmatter does not end; add a line with --- after the last field');
  return { yaml: whole.slice(first.length, last.index), body: whole.slice(fence.lastIndex).trim() };
}

function parseFields(yaml: string): Pick<SplitSkillFile, 'mistakes'> & { fields: Record<string, unknown> } {
  let value: unknown;
  try {
    value = parseYaml(yaml, 1);
  } catch (error) {
    if (error instanceof YamlTooLarge) throw new Error(`the frontmatter ${error.message}`);
    const mistake = `the frontmatter is not YAML: ${firstLine(error)}`;
    const lenient = lenientFields(yaml, 1);
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
