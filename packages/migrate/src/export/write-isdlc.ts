import type { AgentSettings } from '@ambit/core/select';
import type { ReportLine } from '../import/skill/imported.ts';
import { yamlText } from '../import/skill/skill-text.ts';
import { whyOutside } from '../import/source/inner-path.ts';
import type { ExportContent, ExportSkill, ExportSource } from './exported.ts';
import { freePath } from './free-path.ts';
import { losses } from './losses.ts';

/**
 * Writes iSDLC's `skills-manifest.json` and a `SKILL.md` for each skill with an iSDLC id. Skills without
 * one become external skills, with their phases, agents and injection as bindings. The reverse of
 * `readIsdlc`.
 */
export function writeIsdlc({ skills, agents, phases }: ExportSource): ExportContent {
  const lines: ReportLine[] = [];
  const taken = new Set(['skills-manifest.json', 'external-skills-manifest.json']);
  const [own, external] = [
    skills.filter((each) => idOf(each) !== undefined),
    skills.filter((each) => idOf(each) === undefined),
  ];
  const ids = new Map(own.map((each) => [each.skill.id, idOf(each) ?? each.skill.id]));
  const ownership = ownershipOf(own, ids, agents);
  const manifest = {
    total_skills: own.length,
    ownership: Object.fromEntries(
      [...ownership].map(([agent, its]) => [agent, { skill_count: its.length, skills: its }]),
    ),
    skill_lookup: Object.fromEntries([...ownership].flatMap(([agent, its]) => its.map((id) => [id, agent]))),
  };
  const files = [json('skills-manifest.json', manifest)];
  for (const each of own) {
    lines.push(...losses(each, ownHeld));
    files.push({ path: freePath(`${folderOf(each)}/SKILL.md`, taken), text: ownText(each, ids) });
  }
  const entries = external.map((each) => {
    lines.push(...losses(each, externalHeld));
    const file = freePath(externalFile(each), taken);
    files.push({ path: file, text: `${each.skill.body}\n` });
    return externalEntry(each, file);
  });
  if (entries.length > 0) files.push(json('external-skills-manifest.json', { skills: entries }));
  if (Object.keys(phases).length > 0)
    lines.push({
      kind: 'left-out',
      about: 'phases',
      text: 'of the configuration have no counterpart in iSDLC',
    });
  return { files, lines };
}

const ownHeld = {
  format: 'iSDLC',
  sidecar: ['version', 'agents', 'requires'],
  manifest: ['license', 'compatibility', 'allowedTools'],
} as const;

const externalHeld = { format: 'iSDLC', sidecar: ['phases', 'agents', 'injection'], manifest: [] } as const;

function idOf({ skill }: ExportSkill): string | undefined {
  return skill.manifest.metadata['skill-id'];
}

/** In the configuration's order, then skills that only their sidecars assign to the agent. */
function ownershipOf(
  own: readonly ExportSkill[],
  ids: ReadonlyMap<string, string>,
  agents: Readonly<Record<string, AgentSettings>>,
): Map<string, string[]> {
  const ownership = new Map<string, string[]>(
    Object.entries(agents).map(([agent, { skills = [] }]) => [
      agent,
      skills.flatMap((id) => ids.get(id) ?? []),
    ]),
  );
  for (const each of own) {
    for (const agent of each.skill.sidecar.agents) {
      const its = ownership.get(agent) ?? [];
      ownership.set(agent, [...new Set([...its, idOf(each) ?? each.skill.id])]);
    }
  }
  return new Map([...ownership].filter(([, its]) => its.length > 0));
}

function folderOf({ skill }: ExportSkill): string {
  const folder = skill.manifest.metadata['isdlc-folder'];
  return folder !== undefined && whyOutside(folder) === undefined ? folder : `skills/${skill.id}`;
}

/** Metadata keys that an import derived from other fields. */
const ours = ['title', 'skill-id', 'isdlc-folder', 'isdlc-file'];

function ownText({ skill }: ExportSkill, ids: ReadonlyMap<string, string>): string {
  const { manifest, sidecar, id } = skill;
  const others = Object.entries(manifest.metadata).filter(([key]) => !ours.includes(key));
  const own: Record<string, unknown> = {
    name: manifest.metadata['title'] ?? id,
    description: manifest.description,
  };
  if (manifest.license !== undefined) own['license'] = manifest.license;
  if (manifest.compatibility !== undefined) own['compatibility'] = manifest.compatibility;
  if (manifest.allowedTools.length > 0) own['allowed-tools'] = manifest.allowedTools.join(' ');
  own['skill_id'] = manifest.metadata['skill-id'];
  if (sidecar.agents[0] !== undefined) own['owner'] = sidecar.agents[0];
  if (sidecar.version !== undefined) own['version'] = sidecar.version;
  const dependencies = Object.keys(sidecar.requires).map((other) => ids.get(other) ?? other);
  const fields = { ...own, ...Object.fromEntries(others), dependencies };
  return `---\n${yamlText(fields)}---\n\n${skill.body}\n`;
}

function externalFile({ skill }: ExportSkill): string {
  const file = skill.manifest.metadata['isdlc-file'];
  return file !== undefined && whyOutside(file) === undefined ? file : `skills/external/${skill.id}.md`;
}

function externalEntry({ skill }: ExportSkill, file: string): object {
  const { phases, agents, injection } = skill.sidecar;
  return {
    name: skill.manifest.metadata['title'] ?? skill.id,
    file,
    description: skill.manifest.description,
    bindings: { phases, agents, injection_mode: injection.mode, delivery_type: injection.delivery },
  };
}

function json(path: string, value: unknown): { path: string; text: string } {
  return { path, text: `${JSON.stringify(value, null, 2)}\n` };
}
