import { hiddenText } from '../skill/hidden-path.ts';
import type { SkillFolder } from './skill-folder.ts';
import type { SkillIssue } from './skill-issue.ts';
import { validateManifest } from './validate-manifest.ts';
import { validateSidecar } from './validate-sidecar.ts';

/** Every mistake there is. A skill with errors is invalid; warnings work, and are probably not what was meant. */
export interface SkillValidation {
  errors: SkillIssue[];
  warnings: SkillIssue[];
}

/**
 * Checks a skill as strictly as the Agent Skills specification and the sidecar's schema are written, for its author;
 * loading (`readManifest`) is more lenient. Never throws.
 */
export function validateSkill({ name, files, hidden = [], skillMd, sidecar }: SkillFolder): SkillValidation {
  const manifest = validateManifest(skillMd, name);
  const tool = sidecar === undefined ? { errors: [], warnings: [] } : validateSidecar(sidecar, files);
  const strays = files.flatMap(({ path, leavesFolder, leadsToHidden = false }) => {
    const message = leavesFolder
      ? 'the link leads out of the folder, and nowhere when the skill runs'
      : 'the link leads to a hidden file, so it is broken when the skill runs';
    return leavesFolder || leadsToHidden ? [{ file: path, line: null, message }] : [];
  });
  return {
    errors: [...manifest.errors, ...tool.errors],
    warnings: [...manifest.warnings, ...tool.warnings, ...strays, ...unseen(hidden)],
  };
}

/** They are left out of the digest, of what callers can read and of the sandbox, which an author should know. */
function unseen(hidden: readonly string[]): SkillIssue[] {
  return hidden.length === 0 ? [] : [{ file: null, line: null, message: hiddenText(hidden) }];
}
