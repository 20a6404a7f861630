import type { Skill } from '@ambit/core';
import type { ReportLine } from '../import/skill/imported.ts';
import { onRequest } from '../import/skill/phase-names.ts';
import { wreckitPhaseTools } from '../import/wreckit/phase-tools.ts';
import { wreckitBody } from '../import/wreckit/wreckit-body.ts';
import type { WreckitDocument, WreckitSkill } from '../import/wreckit/wreckit-document.ts';
import type { ExportContent, ExportSkill, ExportSource } from './exported.ts';
import { losses } from './losses.ts';

/** Writes wreckit's `skills.json`: the reverse of `readWreckit`. */
export function writeWreckit({ skills, phases }: ExportSource): ExportContent {
  const lines: ReportLine[] = [];
  const names = phaseList(skills, phases);
  const document: WreckitDocument = {
    phase_skills: Object.fromEntries(names.map((phase) => [phase, idsOf(phase, skills, phases)])),
    skills: skills.map((each) => wreckitSkill(each, lines)),
  };
  for (const phase of names) lines.push(...toolsLost(phase, phases));
  return {
    files: [{ path: 'skills.json', text: `${JSON.stringify(document, null, 2)}\n`.toWellFormed() }],
    lines,
  };
}

/** The configuration's phases, then phases that only skills name. */
function phaseList(skills: readonly ExportSkill[], phases: ExportSource['phases']): string[] {
  const configured = Object.keys(phases).map((phase) => phase.toLowerCase());
  const named = skills.flatMap(({ skill }) => skill.sidecar.phases).filter((phase) => phase !== onRequest);
  return [...new Set([...configured, ...named])];
}

/** In the configuration's order, then in the order of the skills. */
function idsOf(phase: string, skills: readonly ExportSkill[], phases: ExportSource['phases']): string[] {
  const configured = Object.entries(phases).flatMap(([name, settings]) =>
    name.toLowerCase() === phase ? (settings.skills ?? []) : [],
  );
  const byName = new Map(skills.map(({ skill }) => [skill.id, skill]));
  const first = configured.flatMap((id) => byName.get(id) ?? []);
  const others = skills
    .map(({ skill }) => skill)
    .filter(({ sidecar }) => sidecar.phases.length === 0 || sidecar.phases.includes(phase));
  return [...new Set([...first, ...others])].map(wreckitId);
}

const held = {
  format: 'wreckit',
  sidecar: ['phases', 'tools', 'context', 'mcpServers'],
  manifest: [],
} as const;

function wreckitSkill(each: ExportSkill, lines: ReportLine[]): WreckitSkill {
  const { skill } = each;
  const { manifest, sidecar } = skill;
  const name = manifest.metadata['title'] ?? skill.id;
  const tools = sidecar.tools ?? [];
  lines.push(...losses(each, held));
  const lost = (text: string): unknown => lines.push({ kind: 'left-out', about: skill.id, text });
  if (sidecar.phases.length === 0)
    lines.push({
      kind: 'changed',
      about: skill.id,
      text: 'applies to every phase and is listed in each',
    });
  if (sidecar.tools === undefined) lost('does not list its tools, which wreckit reads as no tools');
  if (skill.body.trim() !== wreckitBody(name, manifest.description, tools, sidecar.context))
    lost('has a body, which wreckit cannot store');
  return {
    id: wreckitId(skill),
    name,
    description: manifest.description,
    tools: [...tools],
    mcp_servers: Object.keys(sidecar.mcpServers).length === 0 ? undefined : sidecar.mcpServers,
    required_context: sidecar.context.length === 0 ? undefined : [...sidecar.context],
  };
}

function wreckitId({ id, manifest }: Pick<Skill, 'id' | 'manifest'>): string {
  return manifest.metadata['wreckit-id'] ?? id;
}

function toolsLost(phase: string, phases: ExportSource['phases']): ReportLine[] {
  const settings = Object.entries(phases).find(([name]) => name.toLowerCase() === phase)?.[1];
  const own = settings?.tools ?? [];
  if (own === 'all') {
    const text = 'has every tool of the agent, but wreckit defines the tools of phases in its code';
    return [{ kind: 'left-out', about: `phases.${phase}`, text }];
  }
  if (own.length === 0 || own.join() === wreckitPhaseTools.get(phase)?.tools.join()) return [];
  const text = `has its own tools, but wreckit defines the tools of phases in its code; add them there: ${own.join(' ')}`;
  return [{ kind: 'to-do', about: `phases.${phase}`, text }];
}
