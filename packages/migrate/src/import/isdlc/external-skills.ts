import { fitDescription } from '../skill/description.ts';
import { type ImportedSkill, quote, type ReportLine } from '../skill/imported.ts';
import { readMarkdownSkill } from '../skill/markdown-skill.ts';
import { phaseNames } from '../skill/phase-names.ts';
import { sidecarText, skillFileText } from '../skill/skill-text.ts';
import { namedFile } from '../source/named-file.ts';
import type { ReadFile } from '../source/source.ts';
import { type ExternalSkill, readExternalManifest } from './isdlc-manifest.ts';

/** The skills of a manifest of external skills, each with its bindings as phases, agents and injection. */
export async function externalSkills(
  manifest: string,
  readFile: ReadFile,
  nameFor: (wanted: string) => string,
  lines: ReportLine[],
): Promise<ImportedSkill[]> {
  const skills: ImportedSkill[] = [];
  for (const entry of readExternalManifest(manifest, lines)) {
    const text = await namedFile(entry, readFile, lines);
    const skill = text === undefined ? undefined : importedSkill(entry, text, nameFor, lines);
    if (skill !== undefined) skills.push(skill);
  }
  return skills;
}

function importedSkill(
  { name, file, description, bindings }: ExternalSkill,
  text: string,
  nameFor: (wanted: string) => string,
  lines: ReportLine[],
): ImportedSkill | undefined {
  const about = quote(name);
  const read = readMarkdownSkill(text, about, lines);
  if (read === undefined) return undefined;
  const id = nameFor(name);
  const phases = phaseNames(bindings.phases.map(everyWord), about, lines);
  const agents = bindings.agents.map(everyWord);
  const { injection_mode: mode, delivery_type: delivery } = bindings;
  const metadata: Record<string, string | undefined> = { ...read.fields.metadata };
  if (name !== id) metadata['title'] = name;
  metadata['isdlc-file'] = file;
  return {
    id,
    skillMd: skillFileText(
      {
        name: id,
        ...read.fields,
        description: description ? fitDescription(description, about, lines) : read.fields.description,
        metadata,
      },
      `\n${read.body}\n`,
    ),
    sidecar: sidecarText({
      phases: phases.length === 0 ? undefined : phases,
      agents: agents.length === 0 || agents.includes('*') ? undefined : agents,
      injection: mode === undefined && delivery === undefined ? undefined : { mode, delivery },
    }),
    files: [],
  };
}

/** iSDLC's `all` is Ambit's `*`. */
function everyWord(name: string): string {
  return name.trim().toLowerCase() === 'all' ? '*' : name;
}
