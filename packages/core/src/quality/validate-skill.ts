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
export function validateSkill({ name, files, skillMd, sidecar }: SkillFolder): SkillValidation {
  const manifest = validateManifest(skillMd, name);
  const tool = sidecar === undefined ? { errors: [], warnings: [] } : validateSidecar(sidecar, files);
  const strays = files
    .filter(({ leavesFolder }) => leavesFolder)
    .map(({ path }) => ({
      file: path,
      line: null,
      message: 'the link leads out of the folder, and nowhere when the skill runs',
    }));
  return {
    errors: [...manifest.errors, ...tool.errors],
    warnings: [...manifest.warnings, ...tool.warnings, ...strays],
  };
}
