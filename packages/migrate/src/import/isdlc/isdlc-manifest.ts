import { describeIssues } from '@ambit/core/internal';
import { z } from 'zod';
import { ImportError, named, type ReportLine } from '../skill/imported.ts';

const Manifest = z.object({
  ownership: z.record(
    z.string(),
    z.object({ skills: z.array(z.string()).default([]), phase: z.string().optional() }),
  ),
});

/** The ids of each agent's skills, in the manifest's order. */
export type Ownership = ReadonlyMap<string, readonly string[]>;

/** Reads a `skills-manifest.json`. Throws `ImportError` if it is invalid. */
export function readIsdlcManifest(text: string, lines: ReportLine[]): Ownership {
  const { ownership } = checked(Manifest, text, "iSDLC's skills-manifest.json");
  const owned = new Map<string, readonly string[]>();
  for (const [agent, { skills }] of Object.entries(ownership)) {
    if (agent.trim() === '' || agent.length > 100 || /[\p{Cc}\p{Cs}]/u.test(agent))
      lines.push({ kind: 'left-out', about: named(agent), text: 'is not a valid agent name' });
    else owned.set(agent, [...new Set(skills)]);
  }
  if (Object.values(ownership).some(({ phase }) => phase !== undefined)) {
    const text = 'is not imported: in Ambit, phases belong to skills, not to agents';
    lines.push({ kind: 'left-out', about: 'ownership.*.phase', text });
  }
  return owned;
}

const ExternalSkill = z.object({
  name: z.string().min(1),
  file: z.string().min(1),
  description: z.string().optional(),
  bindings: z
    .object({
      phases: z.array(z.string()).default([]),
      agents: z.array(z.string()).default([]),
      injection_mode: z.enum(['always', 'on-demand']).optional(),
      delivery_type: z.enum(['context', 'instruction', 'reference']).optional(),
    })
    .prefault({}),
});
export type ExternalSkill = z.output<typeof ExternalSkill>;

const ExternalManifest = z.object({ skills: z.array(z.unknown()).default([]) });

/** Reads a manifest of external skills. Leaves out invalid entries. Throws `ImportError` if the manifest is invalid. */
export function readExternalManifest(text: string, lines: ReportLine[]): ExternalSkill[] {
  const { skills } = checked(ExternalManifest, text, "iSDLC's external-skills-manifest.json");
  return skills.flatMap((raw, index) => {
    const read = ExternalSkill.safeParse(raw);
    if (read.success) return read.data;
    const issues = describeIssues(read.error, ExternalSkill, raw).join('; ');
    lines.push({ kind: 'left-out', about: `external skills.${index}`, text: `is not a skill: ${issues}` });
    return [];
  });
}

function checked<Schema extends z.ZodType>(schema: Schema, text: string, what: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ImportError(`${what} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ImportError(`${what} is invalid: ${describeIssues(parsed.error, schema, value).join('; ')}`);
}
