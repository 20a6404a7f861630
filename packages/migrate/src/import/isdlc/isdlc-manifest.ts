import { UsageError } from '@ambit/core/outcome';
import { describeIssues } from '@ambit/core/skill';
import { z } from 'zod';
import { quote, type ReportLine } from '../skill/imported.ts';
import { jsonValue } from '../skill/json-value.ts';
import { yamlValue } from '../skill/yaml-value.ts';
import { whyOutside } from '../source/inner-path.ts';

const Manifest = z.object({
  ownership: z.record(
    z.string(),
    z.object({ skills: z.array(z.unknown()).default([]), phase: z.string().optional() }),
  ),
});

/** A skill in a manifest: its id, or an object with more. */
const OwnedSkill = z.union([
  z.string().transform((id) => ({ id, name: undefined, path: undefined })),
  z.object({ id: z.string().min(1), name: z.string().optional(), path: z.string().optional() }),
]);

/** The manifest of a project's skills. */
export interface IsdlcManifest {
  /** The ids of each agent's skills, in the manifest's order. */
  ownership: ReadonlyMap<string, readonly string[]>;
  /** The names that it gives to skills, by id. */
  names: ReadonlyMap<string, string>;
  /** The ids of the skills in the folders that it names. */
  ids: ReadonlyMap<string, string>;
}

/** Reads a `skills-manifest.json` or `skills-manifest.yaml`. Throws `UsageError` if it is invalid. */
export function readIsdlcManifest(text: string, isYaml: boolean, lines: ReportLine[]): IsdlcManifest {
  const what = `iSDLC's skills-manifest.${isYaml ? 'yaml' : 'json'}`;
  const { ownership } = checked(
    Manifest,
    isYaml ? yamlValue(text, what, 'Write it as JSON') : jsonValue(text, what),
    what,
  );
  const owned = new Map<string, readonly string[]>();
  const [names, folders] = [new Map<string, string>(), new Map<string, string>()];
  const idOf = (raw: unknown, place: string): string[] => {
    const read = OwnedSkill.safeParse(raw);
    if (!read.success) {
      const text = 'is not a skill: write an id, or a mapping with id, name and path';
      lines.push({ kind: 'left-out', about: place, text });
      return [];
    }
    const { id, name, path } = read.data;
    const outside = path === undefined ? undefined : whyOutside(path);
    if (outside !== undefined) {
      lines.push({
        kind: 'left-out',
        about: quote(id),
        text: `has the path ${quote(path ?? '')}, which ${outside}`,
      });
      return [];
    }
    if (name !== undefined && !names.has(id)) names.set(id, name);
    if (path !== undefined) folders.set(path.replace(/^\.\//, '').replace(/\/(SKILL\.md)?$/, ''), id);
    return [id];
  };
  for (const [agent, { skills }] of Object.entries(ownership)) {
    if (agent.trim() === '' || agent.length > 100 || /[\p{Cc}\p{Cs}]/u.test(agent))
      lines.push({ kind: 'left-out', about: quote(agent), text: 'is not a valid agent name' });
    else {
      const place = `ownership.${quote(agent)}.skills`;
      owned.set(agent, [...new Set(skills.flatMap((skill, at) => idOf(skill, `${place}.${at}`)))]);
    }
  }
  if (Object.values(ownership).some(({ phase }) => phase !== undefined)) {
    const text = 'is not imported: in Ambit, phases belong to skills, not to agents';
    lines.push({ kind: 'left-out', about: 'ownership.*.phase', text });
  }
  return { ownership: owned, names, ids: folders };
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

const externalName = "iSDLC's external-skills-manifest.json";

const ExternalManifest = z.object({ skills: z.array(z.unknown()).default([]) });

/** Reads a manifest of external skills. Leaves out invalid entries. Throws `UsageError` if the manifest is invalid. */
export function readExternalManifest(text: string, lines: ReportLine[]): ExternalSkill[] {
  const { skills } = checked(ExternalManifest, jsonValue(text, externalName), externalName);
  return skills.flatMap((raw, index) => {
    const read = ExternalSkill.safeParse(raw);
    if (read.success) return read.data;
    const issues = describeIssues(read.error, ExternalSkill, raw).join('; ');
    lines.push({ kind: 'left-out', about: `external skills.${index}`, text: `is not a skill: ${issues}` });
    return [];
  });
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${what} is invalid: ${describeIssues(parsed.error, schema, value).join('; ')}`);
}
