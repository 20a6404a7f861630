export {
  type ExportKind,
  type ExportReport,
  type ExportRequest,
  exportSkills,
} from './export/export-skills.ts';
export {
  type ImportKind,
  type ImportReport,
  type ImportRequest,
  importSkills,
} from './import/import-skills.ts';
export { type ReportLine, type SettingsFragment, settingsText } from './import/skill/imported.ts';
export { type ImportNetwork, isUrl } from './import/source/remote-source.ts';
export { applyMerge, storedAt } from './merge/apply-merge.ts';
export type { RefusedFolder } from './merge/copy-learned.ts';
export type { MergeAction, MergeMode, PhaseChange } from './merge/merge-skills.ts';
export { type MergePlan, type MergeRequest, type PlannedMerge, planMerge } from './merge/plan-merge.ts';
