import type { AgentSettings, PhaseSettings } from '@ambit/core/select';
import type { McpServers } from '@ambit/core/skill';
import { yamlText } from './skill-text.ts';

/** A skill folder that an import writes. */
export interface ImportedSkill {
  /** The name of the folder and of the skill. */
  id: string;
  /** The text of its `SKILL.md`. */
  skillMd: string;
  /** The text of its `ambit.yaml`; `undefined` if it would be empty. */
  sidecar: string | undefined;
  /** The other files: each path in the folder, and the absolute path to copy it from. */
  files: readonly { path: string; from: string }[];
}

/** One line of an import's or export's report to the operator. */
export interface ReportLine {
  /** `changed`: imported with a change. `left-out`: not imported. `to-do`: imported, but the operator has to act. */
  kind: 'changed' | 'left-out' | 'to-do';
  /** A skill, a phase, an agent, a file or a key, as the source names it. */
  about: string;
  /** The rest of the sentence that begins with `about`. */
  text: string;
}

/** Settings for `ambit.config.yaml` that result from an import. Empty if there are none. */
export interface SettingsFragment {
  phases: Readonly<Record<string, PhaseSettings>>;
  agents: Readonly<Record<string, AgentSettings>>;
  /** By skill: the MCP servers that it asks for, each with its definition. */
  grants: Readonly<Record<string, { mcpServers: McpServers }>>;
}

/** The content of a source, before anything is written. */
export interface Contents {
  skills: readonly ImportedSkill[];
  settings: Pick<SettingsFragment, 'phases' | 'agents'>;
  lines: readonly ReportLine[];
}

/** Text from a source, for a line of the report: unchanged if short and plain, else quoted and cut at 100 characters. */
export function quote(text: string): string {
  if (/^[\w./*-]{1,100}$/.test(text)) return text;
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** A fragment as lines for `ambit.config.yaml`; empty if there are no settings. */
export function settingsText({ phases, agents, grants }: SettingsFragment): string {
  const sections = Object.entries({ phases, agents, grants }).filter(
    ([, settings]) => Object.keys(settings).length > 0,
  );
  return sections.length === 0 ? '' : yamlText(Object.fromEntries(sections));
}
