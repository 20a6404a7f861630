import { z } from 'zod';
import { hiddenCharacters } from '../model-text/visible-text.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { describeMarkdown } from './describe-markdown.ts';
import { type SplitSkillFile, splitSkillFile } from './frontmatter.ts';
import { type HiddenFrom, hiddenFrom, hiddenWithoutFrontmatter } from './hidden-from.ts';
import { issueWords } from './issue-words.ts';
import { describeIssues } from './issues.ts';
import { writtenText } from './lenient-fields.ts';
import { parseYaml } from './parse-yaml.ts';
import { readAlias } from './read-alias.ts';
import { SkillName } from './skill-id.ts';
import { toolNames } from './tool-names.ts';

/** Also accepts numbers and booleans, which YAML makes of unquoted values such as `1.5`. */
const Text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/**
 * The fields of a `SKILL.md` in the open Agent Skills specification. Other fields are ignored.
 * https://agentskills.io/specification
 */
const Frontmatter = z.object({
  name: Text.optional(),
  description: Text.pipe(z.string().trim().min(1)),
  license: Text.optional(),
  compatibility: Text.optional(),
  /** The specification has strings; published skills have lists, numbers and more. */
  metadata: z.unknown().optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())]).optional(),
});

/** The metadata in a `SKILL.md`. */
export interface SkillManifest {
  name: string;
  description: string;
  license: string | undefined;
  compatibility: string | undefined;
  metadata: Readonly<Record<string, string>>;
  /** As `toolNames` reads them. Informational only, because only operators grant. */
  allowedTools: readonly string[];
}

/**
 * A parsed `SKILL.md`. `warnings` are departures from the specification that do not prevent use.
 */
export interface ReadManifest {
  manifest: SkillManifest;
  body: string;
  /** A valid `metadata.skill-id`; see `Skill.alias`. */
  alias: string | undefined;
  /** See `Skill.hiddenFrom`. */
  hiddenFrom: readonly HiddenFrom[];
  warnings: string[];
}

const bounds = { description: 1024, compatibility: 500 };

/**
 * Parses the text of a `SKILL.md` in a folder called `folderName`. Lenient where the specification
 * allows: a missing, invalid or different name is a warning. A skill that has no description is described by its name, or by the
 * first words of its text. A file without frontmatter can have a `# ID: name` heading and a `## Description`.
 *
 * Throws `SKILL_INVALID` if there is neither a description nor a name nor text, or the frontmatter is unreadable.
 */
export function readManifest(text: string, folderName: string): ReadManifest {
  let split: SplitSkillFile;
  try {
    split = splitSkillFile(text);
  } catch (error) {
    throw new SkillError('SKILL_INVALID', `SKILL.md: ${(error as Error).message}`, { cause: error });
  }
  const written = split.fields === undefined ? { ...markdownFields(split.body) } : describedByText(split);
  const { fields, warnings } = described(withoutMistyped(written), split.body);
  const parsed = Frontmatter.safeParse(fields);
  if (!parsed.success) {
    throw new SkillError(
      'SKILL_INVALID',
      isBlank(fields['description'])
        ? 'SKILL.md has no description: add "description: what it does and when to use it" to its frontmatter'
        : `SKILL.md: ${describeIssues(parsed.error, Frontmatter, fields).join('; ')}`,
    );
  }
  const {
    name = folderName,
    description,
    license,
    compatibility,
    metadata,
    'allowed-tools': tools,
  } = parsed.data;
  const mapping = typeof metadata === 'string' ? (jsonMapping(metadata) ?? metadata) : metadata;
  const texts = metadataTexts(mapping);
  const { alias, warnings: aliasWarnings } = readAlias(texts.metadata);
  const isMapping = typeof metadata === 'object' && !Array.isArray(metadata);
  const isRead = split.mistakes.length === 0 && (metadata === undefined || isMapping);
  const hidden =
    split.fields === undefined
      ? hiddenWithoutFrontmatter(split.body)
      : hiddenFrom({ ...split.fields, metadata: mapping }, isRead ? '' : (split.yaml ?? ''));
  return {
    manifest: {
      name,
      description,
      license,
      compatibility,
      metadata: texts.metadata,
      allowedTools: [tools ?? []].flat().flatMap(toolNames),
    },
    body: split.body,
    alias,
    hiddenFrom: hidden.hiddenFrom,
    warnings: [
      ...split.mistakes,
      ...hidden.warnings,
      ...warnings,
      ...departures(parsed.data, folderName),
      ...texts.warnings,
      ...aliasWarnings,
      ...hiddenWarning(text, description),
    ],
  };
}

/** YAML reads a mapping in a description that begins on the next line and has a colon. */
function describedByText({ yaml = '', fields }: SplitSkillFile): Record<string, unknown> {
  const { description } = fields ?? {};
  if (typeof description !== 'object' || description === null) return { ...fields };
  return { ...fields, description: writtenText(yaml, 'description') ?? description };
}

/** Drops informative fields of the wrong type, with a warning each, because the skill works without them. */
function withoutMistyped(fields: Record<string, unknown>): {
  fields: Record<string, unknown>;
  warnings: string[];
} {
  const readable = { ...fields };
  const warnings: string[] = [];
  for (const field of ['name', 'license', 'compatibility', 'allowed-tools'] as const) {
    const [issue] = Frontmatter.shape[field].safeParse(fields[field]).error?.issues ?? [];
    if (issue === undefined) continue;
    delete readable[field];
    if (fields[field] !== null) warnings.push(`${field} is ignored: ${issueWords(issue, fields[field])}`);
  }
  return { fields: readable, warnings };
}

/** Without a description, the name or the first words of the body describe the skill. */
function described(
  { fields, warnings }: { fields: Record<string, unknown>; warnings: string[] },
  body: string,
): { fields: Record<string, unknown>; warnings: string[] } {
  const { name } = fields;
  if (!isBlank(fields['description'])) return { fields, warnings };
  const words = describeMarkdown(body, '').slice(0, bounds.description).toWellFormed();
  if (isBlank(name) && words === '') return { fields, warnings };
  const used = isBlank(name) ? 'first words are' : 'name is';
  const warning = `SKILL.md has no description, so its ${used} used; add "description: what it does and when to use it"`;
  return {
    fields: { ...fields, description: isBlank(name) ? words : name },
    warnings: [...warnings, warning],
  };
}

function isBlank(value: unknown): boolean {
  return String(value ?? '').trim() === '';
}

function departures(
  { name, description, compatibility }: z.output<typeof Frontmatter>,
  folderName: string,
): string[] {
  const warnings: string[] = [];
  if (name === undefined) warnings.push(`SKILL.md has no name; using its folder's name, ${folderName}`);
  else if (!SkillName.safeParse(name).success) {
    warnings.push(`name ${JSON.stringify(name.slice(0, 100))} is not 1–64 of a-z, 0-9 and single hyphens`);
  } else if (name !== folderName) warnings.push(`name ${name} is not the name of its folder, ${folderName}`);
  if (description.length > bounds.description) {
    warnings.push(
      `the description has ${description.length} characters; at most ${bounds.description} are allowed`,
    );
  }
  if ((compatibility?.length ?? 0) > bounds.compatibility) {
    warnings.push(
      `compatibility has ${compatibility?.length} characters; at most ${bounds.compatibility} are allowed`,
    );
  }
  return warnings;
}

/**
 * Every value as a string. Values of other types cause a warning; anything but a mapping is ignored
 * with a warning.
 */
function metadataTexts(metadata: unknown): { metadata: Record<string, string>; warnings: string[] } {
  if (metadata === undefined || metadata === null) return { metadata: {}, warnings: [] };
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    const kind = Array.isArray(metadata) ? 'a list' : 'a single value';
    return {
      metadata: {},
      warnings: [`metadata is ${kind} and is ignored; write a mapping of strings to strings`],
    };
  }
  const others = Object.entries(metadata).filter(([, value]) => typeof value !== 'string');
  const named = others.slice(0, namedMax).map(([key, value]) => `${key.slice(0, 100)} (${kindOf(value)})`);
  const more = others.length > named.length ? ` and ${others.length - named.length} more` : '';
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, asText(value)])),
    warnings:
      others.length === 0
        ? []
        : [
            `metadata has values that are not strings: ${named.join(', ')}${more}. They are read as strings; quote them`,
          ],
  };
}

/** Some tools write the mapping as JSON in quotes. With a key twice, two readers could read two values. */
function jsonMapping(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    parseYaml(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const namedMax = 5;

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function hiddenWarning(text: string, description: string): string[] {
  // Hidden characters can also be YAML escapes, which only parsing reveals.
  const count = hiddenCharacters(text.replace(/^\uFEFF/, '')) || hiddenCharacters(description);
  if (count === 0) return [];
  return [
    `SKILL.md has ${count} hidden characters (zero-width, bidirectional, tag or control characters), which are removed before a model reads it`,
  ];
}

/** The name in a heading `# ID: name`, and the first line below `## Description`. */
export function markdownFields(body: string): { name: string | undefined; description: string | undefined } {
  return {
    name: /^#[ \t]+[\w.-]+:[ \t]*(\S.*)$/m.exec(body)?.[1]?.trimEnd(),
    description: /^##[ \t]+Description[ \t]*\n\s*(\S.*)$/m.exec(body)?.[1],
  };
}
