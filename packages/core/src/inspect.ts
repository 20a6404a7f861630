/** Checks of a skill before it runs: the advice of a review, lint and validation, and decisions about installed skills in words. */

export { declaredGrant } from './inspect/declared/declared-grant.ts';
export { declaredKinds, declaredLines } from './inspect/declared/declared-lines.ts';
export { safeText } from './inspect/excerpt.ts';
export {
  type InspectionFinding,
  type InspectionRule,
  type InspectionSeverity,
  inspectionRules,
  inspectionSeverities,
} from './inspect/finding.ts';
export { type InspectedScript, type Inspection, inspectSkill } from './inspect/inspect-skill.ts';
export { type InspectedFile, type InspectionPorts, inspectionBounds } from './inspect/inspected-skill.ts';
export { type ScriptNames, scriptNames } from './inspect/script/script-facts.ts';
export type { WasmNeeds } from './inspect/script/wasm-needs.ts';
export { wasmText } from './inspect/script/wasm-text.ts';
export { matchesPattern } from './install/anchored-pattern.ts';
export { decisionFlaw, decisionText } from './install/decision-text.ts';
export { isOlder } from './install/is-older.ts';
export {
  grantLines,
  limitLines,
  type ScriptGrant,
  scriptGrants,
  widenedGrants,
} from './install/script-grants.ts';
export { shownInBrowser } from './install/shown-in-browser.ts';
export { requestLines, widenedRequests } from './install/skill-requests.ts';
export { lintSkill, type SkillLint } from './quality/lint/lint-skill.ts';
export type { LintFinding } from './quality/lint/rules.ts';
export type { CheckedFile, CheckedModule, SkillFolder } from './quality/skill-folder.ts';
export { issueText, type SkillIssue } from './quality/skill-issue.ts';
export { type SkillValidation, validateSkill } from './quality/validate-skill.ts';
