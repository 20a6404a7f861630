/** Trust in files that were found, in words. */
export { decisionText } from './trust/decision-text.ts';
export { editableFile, scopeText } from './trust/scope-text.ts';
export { shellWord } from './trust/shell-word.ts';
export { skillFolderAround, skillFolderBelow } from './trust/skill-folder.ts';
export { UntrustedError } from './trust/untrusted-error.ts';
