import { describeMarkdown, fitDescription, plainLine } from '../import/skill/description.ts';
import type { ReportLine } from '../import/skill/imported.ts';
import { textBelowFrontmatter, yamlText } from '../import/skill/skill-text.ts';
import { whyOutside } from '../import/source/inner-path.ts';
import type { Exported, ExportSkill, ExportSource } from './exported.ts';
import { freePath } from './free-path.ts';
import { losses } from './losses.ts';

/**
 * Writes agentium's `manifest.yaml` and a Markdown file for each skill: the reverse of `readAgentium`.
 * Phases are in capitals.
 */
export function writeAgentium({ skills, phases, agents }: ExportSource): Exported {
  const lines: ReportLine[] = [];
  const taken = new Set(['manifest.yaml']);
  const entries = skills.map((each) => {
    lines.push(...losses(each, held));
    const name = each.skill.manifest.metadata['agentium-name'] ?? each.skill.id;
    const text = bodyOf(each);
    if (!isDescribed(each, name, text))
      lines.push({
        kind: 'left-out',
        about: each.skill.id,
        text: 'has a description, which agentium cannot store',
      });
    return { name, text, file: freePath(fileOf(each), taken), ...placeOf(each) };
  });
  for (const [key, settings] of Object.entries({ phases, agents })) {
    const names = Object.keys(settings);
    if (names.length === 0) continue;
    lines.push({
      kind: 'left-out',
      about: key,
      text: `of the configuration have no counterpart in agentium: ${names.join(', ')}`,
    });
  }
  const manifest = entries.map(({ name, file, priority, phases: its }) => ({
    name,
    file,
    priority,
    phases: its,
  }));
  return {
    files: [
      { path: 'manifest.yaml', text: yamlText({ skills: manifest }) },
      ...entries.map(({ file, text }) => ({ path: file, text })),
    ],
    lines,
  };
}

const held = { format: 'agentium', sidecar: ['phases', 'priority'], manifest: [] } as const;

/** A skill from agentium is restored byte for byte; for any other, its body and a line feed. */
function bodyOf({ skill, skillMd }: ExportSkill): string {
  return skill.manifest.metadata['agentium-name'] === undefined
    ? `${skill.body}\n`
    : textBelowFrontmatter(skillMd);
}

function isDescribed({ skill }: ExportSkill, name: string, text: string): boolean {
  return (
    skill.manifest.description === fitDescription(describeMarkdown(text, plainLine(name) || skill.id), '', [])
  );
}

function fileOf({ skill }: ExportSkill): string {
  const file = skill.manifest.metadata['agentium-file'];
  return file !== undefined && whyOutside(file) === undefined ? file : `${skill.id}.md`;
}

function placeOf({ skill }: ExportSkill): { priority: number; phases: string[] } {
  return {
    priority: skill.sidecar.priority,
    phases: skill.sidecar.phases.map((phase) => phase.toUpperCase()),
  };
}
