/** Changes of files that a proposed grant makes. */
export type { ChangedFile } from './propose/changed-files.ts';
export { type ChangedText, unifiedDiff } from './propose/unified-diff.ts';
