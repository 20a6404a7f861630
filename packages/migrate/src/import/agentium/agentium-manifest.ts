import { describeIssues } from '@ambit/core/internal';
import { parse } from 'yaml';
import { z } from 'zod';
import { ImportError, named, type ReportLine } from '../imported.ts';

const AgentiumSkill = z.object({
  name: z.string().min(1),
  file: z.string().min(1),
  /** Absent is 0, as in the language that agentium is written in. */
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
 * Reads a `manifest.yaml`. An entry that is not in order, or has a name that another one has, is left out; keys that
 * agentium does not have are named.
 *
 * Throws `ImportError` when it is no YAML, or has no list of skills.
 */
export function readAgentiumManifest(text: string, lines: ReportLine[]): AgentiumSkill[] {
  const value = parsed(text);
  const outline = Outline.safeParse(value);
  if (!outline.success) {
    const issues = describeIssues(outline.error, Outline, value).join('; ');
    throw new ImportError(`it is not agentium's manifest.yaml: ${issues}`);
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
        text: `stands twice; skills.${index} is not taken`,
      });
  }
  return [...skills.values()];
}

/** Some thousand skills. More can take the parser of YAML minutes, if somebody means it to. */
const charactersMax = 256 * 1024;

function parsed(text: string): unknown {
  if (text.length > charactersMax)
    throw new ImportError(
      `it has ${text.length} characters; at most ${charactersMax} are read: split it into several`,
    );
  try {
    // Its warnings would be printed, and quote the document.
    return parse(text, { logLevel: 'error' });
  } catch (error) {
    throw new ImportError(`it is not YAML: ${(error as Error).message.split('\n', 1)[0]}`, { cause: error });
  }
}

function unknownKeys(value: unknown, { shape }: z.ZodObject, about: string, lines: ReportLine[]): void {
  for (const key of Object.keys(value as object)) {
    if (!Object.hasOwn(shape, key))
      lines.push({
        kind: 'left-out',
        about,
        text: `has the key ${named(key)}, which agentium does not have`,
      });
  }
}
