import { describeMarkdown, plainLine } from '@ambit/core/skill';
import { fitDescription } from '../import/skill/description.ts';
import type { ReportLine } from '../import/skill/imported.ts';
import { textBelowFrontmatter, yamlText } from '../import/skill/skill-text.ts';
import { whyOutside } from '../import/source/inner-path.ts';
import type { ExportContent, ExportSkill, ExportSource } from './exported.ts';
import { freePath } from './free-path.ts';
import { losses } from './losses.ts';

/**
 * Writes agentium's `manifest.yaml` and a Markdown file for each skill: the reverse of `readAgentium`.
 * Phases are in capitals.
 */
export function writeAgentium({ skills, phases, agents }: ExportSource): ExportContent {
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
    const version = each.skill.sidecar.version ?? each.skill.manifest.metadata['agentium-version'];
    return { name, text, file: freePath(fileOf(each), taken), ...placeOf(each), version };
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
  const manifest = entries.map(({ name, file, priority, phases: its, version }) => ({
    name,
    file,
    priority,
    phases: its,
    version: version === undefined ? undefined : versionValue(version),
  }));
  return {
    files: [
      {
        path: 'manifest.yaml',
        text: yamlText({ version: manifestVersion(skills, lines), skills: manifest }),
      },
      ...entries.map(({ file, text }) => ({ path: file, text })),
    ],
    lines,
  };
}

/** The version of the manifest that the skills come from; `undefined`, with a line, if they come from several. */
function manifestVersion(skills: ExportSource['skills'], lines: ReportLine[]): string | number | undefined {
  const found = skills.flatMap(({ skill }) => skill.manifest.metadata['agentium-manifest-version'] ?? []);
  const [version, ...others] = new Set(found);
  if (others.length === 0) return version === undefined ? undefined : versionValue(version);
  lines.push({
    kind: 'left-out',
    about: 'version',
    text: `of the manifest is not written: the skills come from manifests of ${others.length + 1} versions`,
  });
  return undefined;
}

/** A whole number is written without quotes: agentium may read one into a number. */
function versionValue(version: string): string | number {
  return /^[1-9]\d{0,14}$/.test(version) ? Number(version) : version;
}

const held = { format: 'agentium', sidecar: ['phases', 'priority', 'version'], manifest: [] } as const;

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
