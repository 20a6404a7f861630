import { describeMarkdown, markdownFields, plainLine, splitSkillFile, toolNames } from '@ambit/core/skill';
import { fitDescription } from './description.ts';
import type { ReportLine } from './imported.ts';
import type { SkillFields } from './skill-text.ts';

/** A Markdown file with or without frontmatter, read as a skill. */
export interface MarkdownSkill {
  /** The name in the file; `undefined` if it has none. */
  name: string | undefined;
  /** The fields of the specification. Without a description, one is derived from the text. */
  fields: Omit<SkillFields, 'name'>;
  /** Other fields, unchanged. */
  others: ReadonlyMap<string, unknown>;
  body: string;
  /** Whether there was nothing to derive a description from, so that it is only the name or the path. */
  isUndescribed: boolean;
}

/** Reads such a file; `undefined`, with a line, if its frontmatter cannot be read. */
export function readMarkdownSkill(
  text: string,
  about: string,
  lines: ReportLine[],
): MarkdownSkill | undefined {
  let split: ReturnType<typeof splitSkillFile>;
  try {
    split = splitSkillFile(text);
  } catch (error) {
    lines.push({ kind: 'left-out', about, text: `cannot be read: ${(error as Error).message}` });
    return undefined;
  }
  const body = split.body.trim();
  const { fields } = split;
  if (fields === undefined) {
    const { name, description } = markdownFields(body);
    const described = description ?? describeMarkdown(body, '');
    return {
      name,
      fields: { description: fitDescription(described || (name ?? about), about, lines) },
      others: new Map(),
      body,
      isUndescribed: described === '',
    };
  }
  const name = fieldText(fields['name']);
  const described = fieldText(fields['description']) || describeMarkdown(body, '');
  const compatibility = fieldText(fields['compatibility']);
  const metadata = fields['metadata'];
  return {
    name: name || undefined,
    fields: {
      description: fitDescription(described || name || about, about, lines),
      license: fieldText(fields['license']) || undefined,
      compatibility: compatibility.slice(0, compatibilityMax) || undefined,
      metadata: isMapping(metadata)
        ? Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, fieldText(value)]))
        : {},
      allowedTools: namesIn(fields['allowed-tools']),
    },
    others: new Map(Object.entries(fields).filter(([key]) => !specified.includes(key))),
    body,
    isUndescribed: described === '',
  };
}

const compatibilityMax = 500;

const specified = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/** The value of a field on one line; lists are joined with commas. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(fieldText).join(', ');
  return plainLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Names in a list or a text; see `toolNames`. */
export function namesIn(value: unknown): string[] {
  return toolNames(Array.isArray(value) ? value.map(fieldText).join(' ') : fieldText(value));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
