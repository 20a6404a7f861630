import { frontmatterBlock } from '@ambit/core/skill';
import { stringify } from 'yaml';

/** The frontmatter of a `SKILL.md`. Absent and empty fields, and absent metadata, are not written. */
export interface SkillFields {
  name: string;
  description: string;
  license?: string | undefined;
  compatibility?: string | undefined;
  metadata?: Readonly<Record<string, string | undefined>>;
  allowedTools?: readonly string[];
}

/** The text of a `SKILL.md`: the frontmatter, then `body`, byte for byte. */
export function skillFileText(fields: SkillFields, body: string): string {
  const { name, description, license, compatibility, allowedTools = [] } = fields;
  const metadata = present(fields.metadata ?? {});
  const written = present({
    name,
    description,
    license,
    compatibility: compatibility || undefined,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    'allowed-tools': allowedTools.join(' ') || undefined,
  });
  return `---\n${yamlText(written)}---\n${body}`.toWellFormed();
}

/** The text of an `ambit.yaml` with the keys that have a value; `undefined` if none has. */
export function sidecarText(sidecar: Readonly<Record<string, unknown>>): string | undefined {
  const written = present(sidecar);
  return Object.keys(written).length === 0 ? undefined : yamlText(written);
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Writes every scalar on one line, so no value looks like a fence or is folded. */
export function yamlText(value: unknown): string {
  return stringify(value, {
    lineWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    aliasDuplicateObjects: false,
  }).toWellFormed();
}

/** The text below the frontmatter of a `SKILL.md`, byte for byte; the whole text if there is no frontmatter. */
export function textBelowFrontmatter(skillMd: string): string {
  const { endLine } = frontmatterBlock(skillMd) ?? { endLine: 0 };
  return skillMd.split('\n').slice(endLine).join('\n');
}
