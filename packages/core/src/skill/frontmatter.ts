import { thrownText } from '../outcome/thrown-text.ts';
import { parseYaml, YamlTooLarge } from './parse-yaml.ts';

/** The two parts of a `SKILL.md`. `fields` is `undefined` for a file without frontmatter. */
export interface SplitSkillFile {
  fields: Record<string, unknown> | undefined;
  body: string;
}

/**
 * Separates the frontmatter of a `SKILL.md` from its body. Accepts a byte order mark, CRLF and
 * trailing blanks on the fences. Only a line that consists of `---` ends the block, not `---`
 * inside a value.
 *
 * Throws an `Error` with one sentence if the block does not end, is too long or is not YAML. If
 * parsing fails, unquoted values that have a colon (`description: Use when: …`, common in published
 * skills) or begin with a character that YAML reserves (`description: @Observable …`) are quoted and
 * parsing is retried.
 */
export function splitSkillFile(text: string): SplitSkillFile {
  const { yaml, body } = cutSkillFile(text);
  return { fields: yaml === undefined ? undefined : parseFields(yaml), body };
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

function parseFields(yaml: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseYaml(yaml, 1);
  } catch (error) {
    if (error instanceof YamlTooLarge) throw new Error(`the frontmatter ${error.message}`);
    value = parseQuoted(yaml.split('\n'), error);
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Error('the frontmatter is not a list of "field: value" lines');
  }
  return value as Record<string, unknown>;
}

function parseQuoted(lines: readonly string[], first: unknown): unknown {
  const quoted = lines.map((line) => {
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!#].*)$/.exec(line) ?? [];
    return key !== undefined && value !== undefined && /^[@`%]|:/.test(value)
      ? `${key}: ${JSON.stringify(value.trim())}`
      : line;
  });
  try {
    if (quoted.every((line, at) => line === lines[at])) throw first;
    return parseYaml(quoted.join('\n'), 1);
  } catch {
    // Report the error in the author's text, not in the quoted copy.
    throw new Error(`the frontmatter is not YAML: ${firstLine(first)}`, { cause: first });
  }
}

function firstLine(error: unknown): string {
  return thrownText(error).split('\n', 1)[0] ?? '';
}
