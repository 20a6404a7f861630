import { UsageError } from '@ambit/core/outcome';
import { describeIssues, describeMarkdown, plainLine } from '@ambit/core/skill';
import { z } from 'zod';
import { acceptedVersion } from './skill/accepted-version.ts';
import { fitDescription } from './skill/description.ts';
import {
  type Contents,
  type ImportedSkill,
  quote,
  type ReportLine,
  type SettingsFragment,
} from './skill/imported.ts';
import { onRequest, phaseNames } from './skill/phase-names.ts';
import { skillNames } from './skill/skill-names.ts';
import { sidecarText, skillFileText } from './skill/skill-text.ts';
import { yamlValue } from './skill/yaml-value.ts';
import { namedFile } from './source/named-file.ts';
import type { ReadFile } from './source/source.ts';

/**
 * Reads the text of agentium's `manifest.yaml` and the files that it names. Each file becomes the body
 * of a skill, byte for byte. If a file is unavailable, its skill is left out, with a line. agentium
 * leaves an agent all its tools, so each phase gets all.
 *
 * Throws `UsageError` if the manifest is invalid.
 */
export async function readAgentium(manifest: string, readFile: ReadFile): Promise<Contents> {
  const lines: ReportLine[] = [];
  const { version, entries } = readAgentiumManifest(manifest, lines);
  const nameFor = skillNames(lines);
  const skills: ImportedSkill[] = [];
  for (const entry of entries) {
    const body = await namedFile(entry, readFile, lines);
    if (body !== undefined) skills.push(importedSkill(entry, version, nameFor(entry.name), body, lines));
  }
  return { skills, settings: { phases: phaseSettings(entries, lines), agents: {} }, lines };
}

function phaseSettings(entries: readonly AgentiumSkill[], lines: ReportLine[]): SettingsFragment['phases'] {
  // Only the names: the entries' own lines are written when they become skills.
  const names = entries.flatMap(({ phases }) => phaseNames(phases, '', []));
  const phases = [...new Set(names)].filter((phase) => phase !== onRequest);
  if (phases.length > 0)
    lines.push({
      kind: 'changed',
      about: 'the phases',
      text: 'get tools: all, every tool of the agent, because agentium has no lists of tools; any other phase has no tools',
    });
  else if (entries.length > 0)
    lines.push({
      kind: 'to-do',
      about: 'the skills',
      text: 'name no phase, and a phase that is not configured has no tools; add your phases to the configuration, with tools: all or a list',
    });
  return Object.fromEntries(phases.map((phase) => [phase, { tools: 'all' }]));
}

function importedSkill(
  { name, file, priority, phases, version }: AgentiumSkill,
  manifestVersion: string | undefined,
  id: string,
  body: string,
  lines: ReportLine[],
): ImportedSkill {
  const about = quote(name);
  const title = plainLine(name);
  const names = phaseNames(phases, about, lines);
  const sidecarVersion = acceptedVersion(version ?? '', about, lines);
  return {
    id,
    skillMd: skillFileText(
      {
        name: id,
        description: fitDescription(describeMarkdown(body, title || id), about, lines),
        metadata: {
          title: title === id || title === '' ? undefined : title,
          'agentium-name': name,
          'agentium-file': file,
          'agentium-version': version === sidecarVersion ? undefined : version,
          'agentium-manifest-version': manifestVersion,
        },
      },
      body,
    ),
    sidecar: sidecarText({
      version: sidecarVersion,
      phases: names.length === 0 ? undefined : names,
      priority,
    }),
    files: [],
  };
}

/** A version in YAML is a number if it is not quoted. */
const Version = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((version) => plainLine(String(version ?? '')) || undefined);

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
  version: Version,
});
type AgentiumSkill = z.output<typeof AgentiumSkill>;

const Outline = z.object({ version: Version, skills: z.array(z.unknown()) });

/**
 * Reads a `manifest.yaml`: its version and its entries. Leaves out invalid entries and duplicate names, and
 * reports unknown keys.
 *
 * Throws `UsageError` if it is not YAML or has no list of skills.
 */
function readAgentiumManifest(
  text: string,
  lines: ReportLine[],
): { version: string | undefined; entries: AgentiumSkill[] } {
  const value = yamlValue(text, "agentium's manifest.yaml", 'Split it into several manifests');
  const outline = Outline.safeParse(value);
  if (!outline.success) {
    const issues = describeIssues(outline.error, Outline, value).join('; ');
    throw new UsageError(`agentium's manifest.yaml is invalid: ${issues}`);
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
    unknownKeys(raw, AgentiumSkill, quote(name), lines);
    if (!skills.has(name)) skills.set(name, read.data);
    else
      lines.push({
        kind: 'left-out',
        about: quote(name),
        text: `is listed twice; skills.${index} is ignored`,
      });
  }
  return { version: outline.data.version, entries: [...skills.values()] };
}

function unknownKeys(value: unknown, { shape }: z.ZodObject, about: string, lines: ReportLine[]): void {
  for (const key of Object.keys(value as object)) {
    if (!Object.hasOwn(shape, key))
      lines.push({
        kind: 'left-out',
        about,
        text: `has the unknown key ${quote(key)}`,
      });
  }
}
