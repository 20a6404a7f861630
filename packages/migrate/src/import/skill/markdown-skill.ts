import { SkillError } from '@ambit/core';
import { readManifest, splitSkillFile } from '@ambit/core/internal';
import { describeMarkdown, fitDescription, plainLine } from './description.ts';
import type { ReportLine } from './imported.ts';
import type { SkillFields } from './skill-text.ts';

/** A Markdown file with or without frontmatter, read as a skill. */
export interface MarkdownSkill {
  /** As the file says; `undefined` when it does not. */
  name: string | undefined;
  /** What the specification has a field for; of a file without a description, what its text begins with. */
  fields: Omit<SkillFields, 'name'>;
  /** What it has no field for, as it was written. */
  others: ReadonlyMap<string, unknown>;
  body: string;
}

/** Reads such a file; `undefined`, and a line, where its frontmatter cannot be read. */
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
    const { name, description } = headings(body);
    const described = description ?? describeMarkdown(body, name ?? about);
    return {
      name,
      fields: { description: fitDescription(described, about, lines) },
      others: new Map(),
      body,
    };
  }
  const name = fieldText(fields['name']);
  const description = fieldText(fields['description']) || describeMarkdown(body, name || about);
  const compatibility = fieldText(fields['compatibility']);
  const metadata = fields['metadata'];
  return {
    name: name || undefined,
    fields: {
      description: fitDescription(description, about, lines),
      license: fieldText(fields['license']) || undefined,
      compatibility: compatibility.slice(0, compatibilityMax) || undefined,
      metadata: isMapping(metadata)
        ? Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, fieldText(value)]))
        : {},
      allowedTools: toolNames(fields['allowed-tools']),
    },
    others: new Map(Object.entries(fields).filter(([key]) => !specified.includes(key))),
    body,
  };
}

const compatibilityMax = 500;

const specified = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/** What `# ID: name` and `## Description` say, as the loader reads them. */
function headings(body: string): { name: string | undefined; description: string | undefined } {
  try {
    const { name, description } = readManifest(body, '').manifest;
    return { name: name || undefined, description };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return { name: undefined, description: undefined };
  }
}

/** The value of a field as one line; a list with commas between. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(fieldText).join(', ');
  return plainLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Names as a list, or as one text with blanks or commas between; blanks within parentheses belong to the name. */
export function toolNames(value: unknown): string[] {
  const text = Array.isArray(value) ? value.map(fieldText).join(' ') : fieldText(value);
  return text.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
