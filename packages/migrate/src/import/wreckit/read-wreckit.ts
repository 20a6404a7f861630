import type { PhaseSettings } from '@ambit/core/select';
import { type ContextRequirement, type McpServers, plainLine } from '@ambit/core/skill';
import { acceptedVersion } from '../skill/accepted-version.ts';
import { requirements } from '../skill/dependencies.ts';
import { fitDescription } from '../skill/description.ts';
import { type Contents, type ImportedSkill, quote, type ReportLine } from '../skill/imported.ts';
import { onRequest, phaseName, phaseNames } from '../skill/phase-names.ts';
import { skillNames } from '../skill/skill-names.ts';
import { sidecarText, skillFileText } from '../skill/skill-text.ts';
import { wreckitPhaseTools } from './phase-tools.ts';
import { wreckitBody } from './wreckit-body.ts';
import {
  readWreckitDocument,
  type WreckitContext,
  type WreckitDocument,
  type WreckitSkill,
} from './wreckit-document.ts';

/** Reads the text of wreckit's `skills.json`. Throws `UsageError` if the text is invalid. */
export function readWreckit(text: string): Contents {
  const lines: ReportLine[] = [];
  return convertWreckit(readWreckitDocument(text, lines), lines);
}

/**
 * Converts wreckit's skills. Their mapping to phases becomes the phases of each skill's sidecar. The tools
 * of phases, defined in wreckit's code, become settings. A skill without a phase is selected only by name.
 */
export function convertWreckit({ phase_skills, skills }: WreckitDocument, lines: ReportLine[]): Contents {
  const nameFor = skillNames(lines);
  const names = new Map(skills.map(({ id }) => [id, nameFor(id)]));
  const mapping = readMapping(phase_skills, names, lines);
  const nameOf = ({ id }: WreckitSkill): string => names.get(id) ?? id;
  const required = requirements(
    skills.map((skill) => ({
      id: skill.id,
      name: nameOf(skill),
      dependencies: skill.depends_on_skills ?? [],
    })),
    lines,
  );
  return {
    skills: skills.map((skill) => {
      const name = nameOf(skill);
      return importedSkill(skill, name, { mapping, requires: required.get(name) ?? [], lines });
    }),
    settings: { phases: phaseSettings(mapping, skills, names, lines), agents: {} },
    lines,
  };
}

/** Each phase in lower case, and the ids of its existing skills in order. */
type Mapping = ReadonlyMap<string, readonly string[]>;

function readMapping(
  phaseSkills: Readonly<Record<string, readonly string[]>>,
  names: ReadonlyMap<string, string>,
  lines: ReportLine[],
): Mapping {
  const mapping = new Map<string, readonly string[]>();
  const missing = new Map<string, Set<string>>();
  for (const [phase, ids] of Object.entries(phaseSkills)) {
    const name = phaseName(phase, 'phase_skills', lines);
    if (name === undefined) continue;
    const found = new Set(mapping.get(name));
    for (const id of ids) {
      if (names.has(id)) found.add(id);
      else missing.set(id, (missing.get(id) ?? new Set()).add(name));
    }
    mapping.set(name, [...found]);
  }
  for (const [id, phases] of missing) {
    const where = [...phases].map(quote).join(', ');
    lines.push({
      kind: 'left-out',
      about: quote(id),
      text: `is mapped to ${where}, but no such skill exists`,
    });
  }
  return mapping;
}

/** The facts about other skills that the conversion of one needs. */
interface Conversion {
  mapping: Mapping;
  /** Names of skills. */
  requires: readonly string[];
  lines: ReportLine[];
}

/** Longer names could make the frontmatter too long to read. */
const nameCharactersMax = 1024;

function importedSkill(
  {
    id,
    name,
    description,
    tools,
    mcp_servers,
    required_context = [],
    content,
    tags = [],
    version,
  }: WreckitSkill,
  folder: string,
  { mapping, requires, lines }: Conversion,
): ImportedSkill {
  const about = quote(id);
  const servers = serversOf(mcp_servers, about, lines);
  const title = plainLine(name).slice(0, nameCharactersMax) || folder;
  const context = required_context.flatMap((each) => requirement(each, about, lines) ?? []);
  const toolList = tools === undefined ? undefined : [...new Set(tools)].filter((tool) => tool.trim() !== '');
  const sidecarVersion = acceptedVersion(version ?? '', about, lines);
  const body =
    content === undefined
      ? `\n${wreckitBody(title, plainLine(description) || title, toolList ?? [], context)}\n`
      : `\n${content}`;
  return {
    id: folder,
    skillMd: skillFileText(
      {
        name: folder,
        description: fitDescription(description, about, lines) || title,
        metadata: {
          title: title === folder ? undefined : title,
          'wreckit-id': id === folder ? undefined : id.slice(0, nameCharactersMax),
          'wreckit-version': version === sidecarVersion ? undefined : version,
        },
      },
      body,
    ),
    sidecar: sidecarText({
      version: sidecarVersion,
      phases: phasesOf(id, mapping, lines),
      tags: tags.length === 0 ? undefined : tags,
      requires: requires.length === 0 ? undefined : Object.fromEntries(requires.map((other) => [other, '*'])),
      tools: toolList,
      mcpServers: Object.keys(servers).length === 0 ? undefined : servers,
      context: context.length === 0 ? undefined : context,
    }),
    files: [],
  };
}

/** Servers by name. In a list, each has its name inside; one with only a name, or without one, cannot be started and is left out. */
function serversOf(given: WreckitSkill['mcp_servers'] = {}, about: string, lines: ReportLine[]): McpServers {
  if (!Array.isArray(given)) return given;
  const servers = new Map<string, Record<string, unknown>>();
  for (const [index, each] of given.entries()) {
    const { name, ...definition } = typeof each === 'string' ? { name: each } : each;
    const isUsable = typeof name === 'string' && Object.keys(definition).length > 0 && !servers.has(name);
    if (isUsable) servers.set(name, definition);
    else {
      const what = typeof name === 'string' ? `the MCP server ${quote(name)}` : `mcp_servers.${index}`;
      const why =
        typeof name !== 'string' ? 'has no name' : servers.has(name) ? 'is listed twice' : 'has only a name';
      const text = `was imported without ${what}, which ${why}; add it under mcpServers in its ambit.yaml`;
      lines.push({ kind: 'left-out', about, text });
    }
  }
  return Object.fromEntries(servers);
}

function phasesOf(id: string, mapping: Mapping, lines: ReportLine[]): string[] | undefined {
  const phases = [...mapping].filter(([, ids]) => ids.includes(id)).map(([phase]) => phase);
  if (phases.length === 0) {
    const text = `is mapped to no phase; it gets the phase ${onRequest} and is selected only by name`;
    lines.push({ kind: 'changed', about: quote(id), text });
    return [onRequest];
  }
  const names = phaseNames(phases, quote(id), lines);
  return names.length === 0 ? undefined : names;
}

function requirement(
  { type, path, description }: WreckitContext,
  about: string,
  lines: ReportLine[],
): ContextRequirement | undefined {
  if (type === 'git_status' || type === 'item_metadata') {
    if (path !== undefined)
      lines.push({ kind: 'changed', about, text: `asks for ${type} with a path, which is ignored` });
    return { type, description };
  }
  const wrong = whyNoPath(path);
  if (path !== undefined && wrong === undefined) return { type, path, description };
  lines.push({ kind: 'left-out', about, text: `asks for a ${type} ${wrong}` });
  return undefined;
}

function whyNoPath(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return 'without a path';
  if (path.includes('\0')) return 'with a NUL byte in its path';
  if (/^([/\\~]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..'))
    return `${quote(path)}, which leads out of the project`;
  return undefined;
}

function phaseSettings(
  mapping: Mapping,
  skills: readonly WreckitSkill[],
  names: ReadonlyMap<string, string>,
  lines: ReportLine[],
): Record<string, PhaseSettings> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const settings = [...mapping]
    .filter(([phase]) => phase !== '*')
    .map(([phase, ids]): [string, PhaseSettings] => {
      const known = wreckitPhaseTools.get(phase);
      const own = [...new Set(ids.flatMap((id) => byId.get(id)?.tools ?? []))];
      if (known === undefined) {
        const text = 'has no tools defined by wreckit; it gets the tools that its skills ask for';
        lines.push({ kind: 'changed', about: `phases.${quote(phase)}`, text });
      }
      const { tools, required } = known ?? { tools: own.filter((tool) => tool.trim() !== ''), required: [] };
      const chosen = ids.map((id) => names.get(id) ?? id);
      return [phase, required.length === 0 ? { tools, skills: chosen } : { tools, required, skills: chosen }];
    });
  return Object.fromEntries(settings);
}
