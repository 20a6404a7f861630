import { hiddenText } from '../skill/hidden-path.ts';
import type { SkillFolder } from './skill-folder.ts';
import type { SkillIssue } from './skill-issue.ts';
import { validateManifest } from './validate-manifest.ts';
import { validateSidecar } from './validate-sidecar.ts';

/**
 * All mistakes of a skill. A skill with errors is invalid; one with warnings works, but probably
 * not as intended.
 */
export interface SkillValidation {
  errors: SkillIssue[];
  warnings: SkillIssue[];
}

/**
 * Validates a skill strictly, by the Agent Skills specification and the sidecar's schema, for its
 * author. Loading (`readManifest`) is more lenient. Never throws.
 */
export function validateSkill({ name, files, hidden = [], skillMd, sidecar }: SkillFolder): SkillValidation {
  const manifest = validateManifest(skillMd, name);
  const tool = sidecar === undefined ? { errors: [], warnings: [] } : validateSidecar(sidecar, files);
  const strays = files.flatMap(({ path, leavesFolder, leadsToHidden = false }) => {
    const message = leavesFolder
      ? 'the link leaves the folder, so it is broken when the skill runs'
      : 'the link leads to a hidden file, so it is broken when the skill runs';
    return leavesFolder || leadsToHidden ? [{ file: path, line: null, message }] : [];
  });
  return {
    errors: [...manifest.errors, ...tool.errors],
    warnings: [...manifest.warnings, ...tool.warnings, ...strays, ...unseen(hidden)],
  };
}

/**
 * Hidden files are left out of the digest, of what callers can read and of the sandbox. Authors
 * should know that.
 */
function unseen(hidden: readonly string[]): SkillIssue[] {
  return hidden.length === 0 ? [] : [{ file: null, line: null, message: hiddenText(hidden) }];
}
