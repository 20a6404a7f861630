import { describeIssues } from '@ambit/core/internal';
import { parse } from 'yaml';
import { z } from 'zod';
import { ImportError, named, type ReportLine } from '../imported.ts';

const AgentiumSkill = z.object({
  name: z.string().min(1),
  file: z.string().min(1),
  /** Absent: 0, the default of agentium's language. */
  priority: z
    .int()
    .nullish()
    .transform((priority) => priority ?? 0),
  /** Absent and empty: every phase. */
  phases: z
    .array(z.string())
    .nullish()
    .transform((phases) => phases ?? []),
});
export type AgentiumSkill = z.output<typeof AgentiumSkill>;

const Outline = z.object({ skills: z.array(z.unknown()) });

/**
 * Reads a `manifest.yaml`. Leaves out invalid entries and duplicate names, and reports unknown keys.
 *
 * Throws `ImportError` if it is not YAML or has no list of skills.
 */
export function readAgentiumManifest(text: string, lines: ReportLine[]): AgentiumSkill[] {
  const value = parsed(text);
  const outline = Outline.safeParse(value);
  if (!outline.success) {
    const issues = describeIssues(outline.error, Outline, value).join('; ');
    throw new ImportError(`agentium's manifest.yaml is invalid: ${issues}`);
  }
  unknownKeys(value, Outline, 'the manifest', lines);
  const skills = new Map<string, AgentiumSkill>();
  for (const [index, raw] of outline.data.skills.entries()) {
    const read = AgentiumSkill.safeParse(raw);
    if (!read.success) {
      const text = `is not a skill: ${describeIssues(read.error, AgentiumSkill, raw).join('; ')}`;
      lines.push({ kind: 'left-out', about: `skills.${index}`, text });
      continue;
    }
    const { name } = read.data;
    unknownKeys(raw, AgentiumSkill, named(name), lines);
    if (!skills.has(name)) skills.set(name, read.data);
    else
      lines.push({
        kind: 'left-out',
        about: named(name),
        text: `is listed twice; skills.${index} is ignored`,
      });
  }
  return [...skills.values()];
}

/** Enough for some thousand skills. A hostile document of more could keep the YAML parser busy for minutes. */
const charactersMax = 256 * 1024;

function parsed(text: string): unknown {
  if (text.length > charactersMax)
    throw new ImportError(
      `agentium's manifest.yaml has ${text.length} characters; the limit is ${charactersMax}. Split it into several manifests`,
    );
  try {
    // Warnings would be printed, and they quote the document.
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    throw new ImportError(
      `agentium's manifest.yaml is not YAML: ${(error as Error).message.split('\n', 1)[0]}`,
      { cause: error },
    );
  }
}

function unknownKeys(value: unknown, { shape }: z.ZodObject, about: string, lines: ReportLine[]): void {
  for (const key of Object.keys(value as object)) {
    if (!Object.hasOwn(shape, key))
      lines.push({
        kind: 'left-out',
        about,
        text: `has the unknown key ${named(key)}`,
      });
  }
}
