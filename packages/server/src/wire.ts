/** Answers as JSON and in words, shared by HTTP, MCP and the command line. */
export { type AnsweredCall, executeAnswer, executeResult } from './wire/answer/execute.ts';
export { promptAnswer } from './wire/answer/prompt.ts';
export { withoutNextRequest } from './wire/next-requests.ts';
export { missingProgramsText, outcomeText } from './wire/outcome-text.ts';
export { wasmPython } from './wire/program-text.ts';
export { csvHeader, csvLine } from './wire/record-csv.ts';
export { skillSummary } from './wire/skill-view.ts';
export { type ArchiveEntry, tarOf } from './wire/tar.ts';
export { usedPhrases } from './wire/used-text.ts';
