import type { Skill } from '@ambit/core';
import type { AgentSettings, PhaseSettings } from '@ambit/core/select';
import type { ReportLine } from '../import/skill/imported.ts';

/** The contents of an export: skills in their order in the result, and the settings of phases and agents. */
export interface ExportSource {
  skills: readonly ExportSkill[];
  phases: Readonly<Record<string, PhaseSettings>>;
  agents: Readonly<Record<string, AgentSettings>>;
}

export interface ExportSkill {
  skill: Pick<Skill, 'id' | 'manifest' | 'sidecar' | 'body' | 'files'>;
  /** The text of its `SKILL.md`, unchanged. */
  skillMd: string;
}

/** Another system's files, before anything is written. */
export interface ExportContent {
  /** Paths relative to the folder of the export. */
  files: readonly { path: string; text: string }[];
  /** The report of what the format cannot store. */
  lines: readonly ReportLine[];
}
