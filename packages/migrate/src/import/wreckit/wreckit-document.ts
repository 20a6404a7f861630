import { UsageError } from '@ambit/core/outcome';
import { describeIssues, McpServers } from '@ambit/core/skill';
import { z } from 'zod';
import { quote, type ReportLine } from '../skill/imported.ts';
import { jsonValue } from '../skill/json-value.ts';

const WreckitContext = z.strictObject({
  type: z.enum(['file', 'git_status', 'item_metadata', 'phase_artifact']),
  path: z.string().optional(),
  description: z.string().optional(),
});
export type WreckitContext = z.output<typeof WreckitContext>;

const WreckitSkill = z.strictObject({
  id: z.string().min(1),
  name: z.string(),
  description: z.string(),
  tools: z.array(z.string()),
  mcp_servers: z
    .union(
      [McpServers, z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))],
      'write a mapping of MCP servers, or a list of them',
    )
    .optional(),
  required_context: z.array(WreckitContext).optional(),
});

/** A skill in a file of its own. `required_tools` are its tools, and `content` is its body. */
export const WreckitSkillFile = z.strictObject({
  ...WreckitSkill.shape,
  schema_version: z.unknown().optional(),
  id: z.string().min(1).optional(),
  name: z.string().min(1),
  phase: z.string().optional(),
  content: z.string().optional(),
  tools: z.array(z.string()).optional(),
  required_tools: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  depends_on_skills: z.array(z.string()).optional(),
  version: z.string().optional(),
});
type WreckitSkillFile = z.output<typeof WreckitSkillFile>;

/** A skill of any form. Absent `tools` are unspecified. */
export interface WreckitSkill
  extends Omit<WreckitSkillFile, 'id' | 'schema_version' | 'phase' | 'required_tools'> {
  id: string;
}

/** wreckit's `skills.json`: skills, and the skills of each phase. */
export interface WreckitDocument {
  phase_skills: Readonly<Record<string, readonly string[]>>;
  skills: readonly WreckitSkill[];
}

const Outline = z.object({
  phase_skills: z.record(z.string(), z.array(z.string())).default({}),
  skills: z.array(z.unknown()),
});

/**
 * Reads a `skills.json`, or a `config.json` with the same content in `skills`. Ignores and reports unknown
 * keys. Leaves out invalid skills and duplicate ids, with the reason.
 *
 * Throws `UsageError` if it is not JSON or has no list of skills.
 */
export function readWreckitDocument(text: string, lines: ReportLine[]): WreckitDocument {
  const read = jsonValue(text, "wreckit's skills.json");
  const value = hasSkillsInside(read) ? read.skills : read;
  const outline = Outline.safeParse(value);
  if (!outline.success) {
    const issues = describeIssues(outline.error, Outline, value).join('; ');
    throw new UsageError(`wreckit's skills.json is invalid: ${issues}`);
  }
  for (const key of Object.keys(value as object)) {
    if (!Object.hasOwn(Outline.shape, key))
      lines.push({ kind: 'left-out', about: quote(key), text: 'is an unknown key' });
  }
  const skills = new Map<string, WreckitSkill>();
  for (const [index, raw] of outline.data.skills.entries()) {
    const skill = readSkill(WreckitSkill, raw, `skills.${index}`, lines);
    if (skill === undefined) continue;
    if (!skills.has(skill.id)) skills.set(skill.id, skill);
    else
      lines.push({
        kind: 'left-out',
        about: quote(skill.id),
        text: `is listed twice; skills.${index} is ignored`,
      });
  }
  return { phase_skills: outline.data.phase_skills, skills: [...skills.values()] };
}

/** Whether it is a `config.json` with skills. */
export function hasSkillsInside(value: unknown): value is { skills: { skills: unknown } } {
  const inner = (value as { skills?: { skills?: unknown } | null } | null | undefined)?.skills?.skills;
  return inner !== undefined;
}

/** Documents in order. Of an id in several, the first counts. */
export function joinedDocuments(documents: readonly WreckitDocument[], lines: ReportLine[]): WreckitDocument {
  const skills = new Map<string, WreckitSkill>();
  const phaseSkills = new Map<string, string[]>();
  for (const document of documents) {
    for (const skill of document.skills) {
      if (!skills.has(skill.id)) skills.set(skill.id, skill);
      else
        lines.push({
          kind: 'left-out',
          about: quote(skill.id),
          text: 'is also in another file; only the first is imported',
        });
    }
    for (const [phase, ids] of Object.entries(document.phase_skills))
      phaseSkills.set(phase, [...(phaseSkills.get(phase) ?? []), ...ids]);
  }
  return { phase_skills: Object.fromEntries(phaseSkills), skills: [...skills.values()] };
}

/** Reads one skill. Reports unknown keys, or why it is left out. `place` stands for an absent id. */
export function readSkill<Skill>(
  schema: z.ZodType<Skill>,
  raw: unknown,
  place: string,
  lines: ReportLine[],
): Skill | undefined {
  const first = schema.safeParse(raw);
  if (first.success) return first.data;
  const about = nameOf(raw) ?? place;
  const unknown = first.error.issues.filter(({ code }) => code === 'unrecognized_keys');
  const issues = describeIssues(first.error, schema, raw);
  const second =
    unknown.length === first.error.issues.length ? schema.safeParse(without(raw, unknown)) : first;
  for (const issue of issues)
    lines.push(
      second.success
        ? { kind: 'changed', about, text: `is imported, ignoring ${issue}` }
        : { kind: 'left-out', about, text: `is not a skill: ${issue}` },
    );
  return second.success ? second.data : undefined;
}

function nameOf(raw: unknown): string | undefined {
  const id = (raw as { id?: unknown } | null)?.id;
  return typeof id === 'string' && id !== '' ? quote(id) : undefined;
}

/** A copy without the keys that a strict schema did not know. */
function without(raw: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy = structuredClone(raw);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = issue.path.reduce((value, step) => (value as Record<PropertyKey, unknown>)[step], copy);
    for (const key of issue.keys) delete (holder as Record<string, unknown>)[key];
  }
  return copy;
}
