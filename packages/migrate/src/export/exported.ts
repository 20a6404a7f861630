import type { Skill } from '@ambit/core';
import type { AgentSettings, PhaseSettings } from '@ambit/core/select';
import type { ReportLine } from '../import/skill/imported.ts';

/** What is exported: skills, in the order in which they are to stand, and what the configuration says of phases and agents. */
export interface ExportSource {
  skills: readonly ExportSkill[];
  phases: Readonly<Record<string, PhaseSettings>>;
  agents: Readonly<Record<string, AgentSettings>>;
}

export interface ExportSkill {
  skill: Pick<Skill, 'id' | 'manifest' | 'sidecar' | 'body' | 'files'>;
  /** The text of its `SKILL.md`, as it lies there. */
  skillMd: string;
}

/** Another system's files, before anything is written. */
export interface Exported {
  /** Paths below the folder that is exported to. */
  files: readonly { path: string; text: string }[];
  /** What the format cannot hold. */
  lines: readonly ReportLine[];
}
