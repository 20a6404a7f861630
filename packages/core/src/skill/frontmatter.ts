import { thrownText } from '../thrown-text.ts';
import { whyTooLong } from './long-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

/** A `SKILL.md`, cut in two. `fields` is `undefined` when the file has no frontmatter at all. */
export interface SplitSkillFile {
  fields: Record<string, unknown> | undefined;
  body: string;
}

/**
 * Separates the frontmatter of a `SKILL.md` from its body. A byte order mark, CRLF and trailing blanks on the fences
 * are accepted; only a line that consists of `---` ends the block, so that `---` inside a value does not.
 *
 * Throws an `Error` with one sentence when the block does not end, is too long or is not YAML, also after a second try in which
 * values with an unquoted colon (`description: Use when: …`, frequent in published skills) are quoted.
 */
export function splitSkillFile(text: string): SplitSkillFile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  if (lines[0]?.trimEnd() !== '---') return { fields: undefined, body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1) throw new Error('the frontmatter does not end: add a line of --- after the last field');
  return {
    fields: parseFields(lines.slice(1, end)),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function parseFields(lines: readonly string[]): Record<string, unknown> {
  const yaml = lines.join('\n');
  const tooLong = whyTooLong(yaml);
  if (tooLong !== undefined) throw new Error(`the frontmatter ${tooLong}`);
  let value: unknown;
  try {
    value = parseYaml(yaml);
  } catch (error) {
    value = parseQuoted(lines, error);
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
    return key !== undefined && value?.includes(':') ? `${key}: ${JSON.stringify(value.trim())}` : line;
  });
  try {
    return parseYaml(quoted.join('\n'));
  } catch {
    // The first complaint speaks of what the author wrote; the second of our rewriting.
    throw new Error(`the frontmatter is not YAML: ${firstLine(first)}`, { cause: first });
  }
}

function firstLine(error: unknown): string {
  return thrownText(error).split('\n', 1)[0] ?? '';
}
