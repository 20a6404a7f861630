import { type Imported, type ImportedSkill, named, type ReportLine } from '../imported.ts';
import { describeMarkdown, fitDescription, plainLine } from '../skill/description.ts';
import { phaseNames } from '../skill/phase-names.ts';
import { skillNames } from '../skill/skill-names.ts';
import { sidecarText, skillFileText } from '../skill/skill-text.ts';
import { namedFile } from '../source/named-file.ts';
import type { ReadFile } from '../source/source.ts';
import { type AgentiumSkill, readAgentiumManifest } from './agentium-manifest.ts';

/**
 * Reads the text of agentium's `manifest.yaml` and the files that it names. Each file becomes the body
 * of a skill, byte for byte. If a file is unavailable, its skill is left out, with a line.
 *
 * Throws `ImportError` if the manifest is invalid.
 */
export async function readAgentium(manifest: string, readFile: ReadFile): Promise<Imported> {
  const lines: ReportLine[] = [];
  const entries = readAgentiumManifest(manifest, lines);
  const nameFor = skillNames(lines);
  const skills: ImportedSkill[] = [];
  for (const entry of entries) {
    const body = await namedFile(entry, readFile, lines);
    if (body !== undefined) skills.push(importedSkill(entry, nameFor(entry.name), body, lines));
  }
  return { skills, settings: { phases: {}, agents: {} }, lines };
}

function importedSkill(
  { name, file, priority, phases }: AgentiumSkill,
  id: string,
  body: string,
  lines: ReportLine[],
): ImportedSkill {
  const about = named(name);
  const title = plainLine(name);
  const names = phaseNames(phases, about, lines);
  return {
    id,
    skillMd: skillFileText(
      {
        name: id,
        description: fitDescription(describeMarkdown(body, title || id), about, lines),
        metadata: {
          ...(title === id || title === '' ? {} : { title }),
          'agentium-name': name,
          'agentium-file': file,
        },
      },
      body,
    ),
    sidecar: sidecarText({ phases: names.length === 0 ? undefined : names, priority }),
    files: [],
  };
}
