import { basename } from 'node:path';
import { type ImportedSkill, quote, type ReportLine } from '../skill/imported.ts';
import { fieldText, namesIn, readMarkdownSkill } from '../skill/markdown-skill.ts';
import { sidecarText, skillFileText } from '../skill/skill-text.ts';

/** The state shared by the readers of one import. */
export interface Reading {
  /** The subject of the report's lines. */
  about: string;
  nameFor: (wanted: string) => string;
  lines: ReportLine[];
}

/**
 * Reads a Markdown file as a skill, named by its frontmatter or else by its file name. A rule's
 * `alwaysApply` becomes injection mode `always`; fields outside the specification become metadata.
 * `undefined`, with a line, if the file cannot be read.
 */
export function markdownFile(
  path: string,
  text: string,
  { about, nameFor, lines }: Reading,
): ImportedSkill | undefined {
  const read = readMarkdownSkill(text, about, lines);
  if (read === undefined) return undefined;
  const title = read.name ?? basename(path).replace(/\.mdc?$/i, '');
  const name = nameFor(title);
  const { others, fields, body } = read;
  const extra = [...others].filter(([key, value]) => key !== 'alwaysApply' && fieldText(value) !== '');
  if (extra.length > 0)
    lines.push({
      kind: 'changed',
      about,
      text: `has ${extra.map(([key]) => quote(key)).join(', ')}, stored as metadata`,
    });
  const metadata: Record<string, string | undefined> = {
    ...fields.metadata,
    ...Object.fromEntries(extra.map(([key, value]) => [key, fieldText(value)])),
  };
  if (title !== name) metadata['title'] = title;
  const tools = namesIn(fields.allowedTools).map((tool) => tool.replace(/\(.*$/, ''));
  return {
    id: name,
    skillMd: skillFileText({ name, ...fields, metadata }, `\n${body}\n`),
    sidecar: sidecarText({
      tools: tools.length === 0 ? undefined : [...new Set(tools)],
      injection: others.get('alwaysApply') === true ? { mode: 'always' } : undefined,
    }),
    files: [],
  };
}
