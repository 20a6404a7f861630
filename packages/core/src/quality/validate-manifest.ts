import { z } from 'zod';
import { frontmatterBlock, splitSkillFile, startsLate } from '../skill/frontmatter.ts';
import { restrictingKeys } from '../skill/hidden-from.ts';
import { issueWords } from '../skill/issue-words.ts';
import { nearest } from '../skill/issues.ts';
import { aliasKey, readAlias } from '../skill/read-alias.ts';
import { SkillName } from '../skill/skill-id.ts';
import type { SkillIssue } from './skill-issue.ts';
import { type YamlLines, yamlLines } from './yaml-lines.ts';

const inQuotes = 'write a string; quote it if YAML reads a number or a boolean';

/** The specification's fields, with its limits. https://agentskills.io/specification */
const StrictFrontmatter = z.looseObject({
  name: z.string('add a name, the same as the folder’s').pipe(SkillName),
  description: z
    .string('add a description: what it does and when to use it')
    .max(1024, 'at most 1024 characters')
    .refine((text) => text.trim() !== '', 'say what it does and when to use it'),
  license: z.string(inQuotes).optional(),
  compatibility: z
    .string(inQuotes)
    .min(1, 'write a value, or remove it')
    .max(500, 'at most 500 characters')
    .optional(),
  metadata: z.record(z.string(), z.string(inQuotes), 'write a mapping of strings to strings').optional(),
  'allowed-tools': z.string('write one string, with spaces between the tools').optional(),
});

const knownFields: readonly string[] = [...Object.keys(StrictFrontmatter.shape), ...restrictingKeys];

/**
 * Validates the text of a `SKILL.md` in a folder of this name against the Agent Skills
 * specification. Never throws.
 */
export function validateManifest(
  text: string,
  folderName: string,
): { errors: SkillIssue[]; warnings: SkillIssue[] } {
  const frontmatter = frontmatterBlock(text);
  const startLine = frontmatter?.startLine ?? 1;
  const block = yamlLines(frontmatter?.yaml ?? '', startLine);
  const fields = fieldsOf(text, block);
  if (Array.isArray(fields)) return { errors: fields, warnings: [] };
  const at = (field: string, path: readonly PropertyKey[], message: string): SkillIssue =>
    issue(block.lineOf(path), `${field}: ${message}`);
  const { error } = StrictFrontmatter.safeParse(fields);
  const { name } = fields;
  const misnamed = SkillName.safeParse(name).success && name !== folderName;
  const unknown = Object.keys(fields).filter((field) => !knownFields.includes(field));
  return {
    errors: [
      ...(startLine === 1 ? [] : [issue(startLine, startsLate(startLine))]),
      ...(error?.issues ?? []).map((each) => at(each.path.join('.'), each.path, issueWords(each, fields))),
      ...(misnamed ? [at('name', ['name'], `${name} is not the name of its folder, ${folderName}`)] : []),
    ],
    warnings: [
      ...block.warnings.map(({ line, message }) => issue(line, `YAML: ${message}`)),
      ...unknown.map((field) => at(field, [field], unknownField(field))),
      ...aliasWarnings(fields['metadata']).map((message) =>
        issue(block.lineOf(['metadata', aliasKey]), message),
      ),
    ],
  };
}

/** The parsed fields, or the mistakes if they are not YAML. Loading is lenient; other tools are not. */
function fieldsOf(text: string, block: YamlLines): Record<string, unknown> | SkillIssue[] {
  if (block.problems.length > 0)
    return block.problems.map(({ line, message }) => issue(line, `the frontmatter is not YAML: ${message}`));
  try {
    const { fields } = splitSkillFile(text);
    return (
      fields ?? [issue(1, 'there is no frontmatter: begin the file with ---, name, description and ---')]
    );
  } catch (error) {
    return [issue(1, (error as Error).message)];
  }
}

function aliasWarnings(metadata: unknown): string[] {
  const read = StrictFrontmatter.shape.metadata.safeParse(metadata);
  return read.success && read.data !== undefined ? readAlias(read.data).warnings : [];
}

function unknownField(field: string): string {
  const near = nearest(field, knownFields);
  return `the specification has no such field${near === undefined ? ', and tools ignore it' : `; did you mean ${near}?`}`;
}

function issue(line: number, message: string): SkillIssue {
  return { file: 'SKILL.md', line, message };
}
