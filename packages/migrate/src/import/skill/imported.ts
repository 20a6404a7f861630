import type { AgentSettings, PhaseSettings } from '@ambit/core/select';
import { yamlText } from './skill-text.ts';

/** A skill folder as an import makes it. */
export interface ImportedSkill {
  /** The folder's name, and the skill's. */
  id: string;
  /** The text of its `SKILL.md`. */
  skillMd: string;
  /** The text of its `ambit.yaml`; `undefined` when there is nothing to say there. */
  sidecar: string | undefined;
  /** What else is in the folder: each file's path there, and the absolute path of the file it is a copy of. */
  files: readonly { path: string; from: string }[];
}

/** One thing that an operator has to know. */
export interface ReportLine {
  /** `changed`: it came over, not as it was. `left-out`: it did not. `to-do`: it came over and needs somebody's hand. */
  kind: 'changed' | 'left-out' | 'to-do';
  /** A skill, a phase, an agent, a file or a key, as the source names it. */
  about: string;
  /** One sentence, going on from `about`. */
  text: string;
}

/** What an import says in `ambit.config.yaml`. Empty where it says nothing. */
export interface SettingsFragment {
  phases: Readonly<Record<string, PhaseSettings>>;
  agents: Readonly<Record<string, AgentSettings>>;
}

/** What a source comes to, before anything is written. */
export interface Imported {
  skills: readonly ImportedSkill[];
  settings: SettingsFragment;
  lines: readonly ReportLine[];
}

/** A source that cannot be read at all. The message says which, why, and what to do. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** Somebody else's word in a line of ours: as it is when it is short and plain, else in quotes, cut at 100 characters. */
export function named(text: string): string {
  if (/^[\w./*-]{1,100}$/.test(text)) return text;
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** A fragment as lines for `ambit.config.yaml`; empty when there is nothing to say. */
export function settingsText({ phases, agents }: SettingsFragment): string {
  const said = Object.entries({ phases, agents }).filter(([, settings]) => Object.keys(settings).length > 0);
  return said.length === 0 ? '' : yamlText(Object.fromEntries(said));
}
