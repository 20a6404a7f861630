import { mistakesMax } from './bounded-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

/** Fields of frontmatter that is not YAML. */
export interface LenientFields {
  fields: Record<string, unknown>;
  /** The fields that are read as text because they are not YAML either, a sentence each. */
  mistakes: readonly string[];
}

/** A field with the lines that continue it. */
interface Entry {
  key: string;
  /** The number of its first line, starting at 1. */
  line: number;
  /** Its text after the colon, and the lines below it. */
  lines: string[];
}

/**
 * Reads each field of frontmatter that is not YAML on its own: as YAML where it is, and as text
 * where it is not, such as `description: [OLD] reads a file`. A line that is indented deeper than
 * the first field, or is not `key: value`, continues the field above it.
 *
 * `undefined` if the text does not begin with a field, or has a key twice or two documents: two readers
 * could read two values. Also with more than `mistakesMax` mistakes, because each costs a stack trace.
 * `linesBefore` is the number of lines above it in the file.
 */
export function lenientFields(yaml: string, linesBefore: number): LenientFields | undefined {
  const entries = entriesOf(yaml.split('\n'), linesBefore);
  if (entries === undefined) return undefined;
  const mistakes: string[] = [];
  const read = (each: readonly Entry[], parent: string): Record<string, unknown> | undefined => {
    const fields: [key: string, value: unknown][] = [];
    for (const entry of each) {
      const parsed = parsedValue(entry);
      const inner = 'value' in parsed || parent !== '' ? undefined : innerEntries(entry);
      const nested = inner && read(inner, `${entry.key}.`);
      fields.push([entry.key, 'value' in parsed ? parsed.value : (nested ?? textOf(entry))]);
      if ('value' in parsed || nested !== undefined) continue;
      mistakes.push(
        `line ${entry.line}: the value of ${parent}${entry.key.slice(0, 100)} is read as text; write it in quotes`,
      );
      if (mistakes.length > mistakesMax) return undefined;
    }
    return Object.fromEntries(fields);
  };
  const fields = read(entries, '');
  return fields === undefined ? undefined : { fields, mistakes };
}

/** The lines of a field as one text; `undefined` if the frontmatter has no such field. */
export function writtenText(yaml: string, key: string): string | undefined {
  const entry = entriesOf(yaml.split('\n'), 0)?.find((each) => each.key === key);
  return entry === undefined ? undefined : textOf(entry);
}

function entriesOf(lines: readonly string[], linesBefore: number): Entry[] | undefined {
  const entries: Entry[] = [];
  const keys = new Set<string>();
  let indent: string | undefined;
  for (const [index, line] of lines.entries()) {
    const [, blanks = '', key, rest = ''] =
      /^([ \t]*)([A-Za-z_][\w.-]*)[ \t]*:(?![^ \t])(.*)$/s.exec(line) ?? [];
    if (key !== undefined && blanks === (indent ?? blanks)) {
      if (keys.has(key)) return undefined;
      keys.add(key);
      indent = blanks;
      entries.push({ key, line: linesBefore + index + 1, lines: [rest] });
    } else if (entries.length > 0) entries.at(-1)?.lines.push(line);
    else if (!/^[ \t]*(?:#|$)/.test(line)) return undefined;
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(line)) return undefined;
  }
  return entries.length === 0 ? undefined : entries;
}

function parsedValue({ key, lines }: Entry): { value: unknown } | Record<string, never> {
  try {
    const parsed = parseYaml(`${key}:${lines.join('\n')}`) as Record<string, unknown>;
    return { value: parsed[key] };
  } catch {
    return {};
  }
}

/** The fields below a field without a value of its own, such as `metadata:`. */
function innerEntries({ line, lines: [first = '', ...below] }: Entry): Entry[] | undefined {
  return first.trim() === '' ? entriesOf(below, line) : undefined;
}

function textOf({ lines }: Entry): string {
  return lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
