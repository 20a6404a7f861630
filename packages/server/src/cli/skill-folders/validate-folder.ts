import { asToolSkill, type SkillIssue, type SkillValidation, validateSkill } from '@ambit/core';
import { folderCatalog, type ToolChecker } from '@ambit/runtime';
import { readFolder } from './read-folder.ts';

/** What is wrong with one folder. Only errors make it invalid. */
export interface ValidatedFolder extends SkillValidation {
  folder: string;
}

/**
 * Reads a folder and checks it by core's strict rules and, if it passes and there are `tools`, as loading and a call do. A
 * folder that cannot be read has that for an error.
 */
export async function validateFolder(folder: string, tools?: ToolChecker): Promise<ValidatedFolder> {
  const read = await readFolder(folder);
  if ('problem' in read) {
    return { folder, errors: [{ file: null, line: null, message: read.problem }], warnings: [] };
  }
  const { errors, warnings } = validateSkill(read.folder);
  if (errors.length > 0 || tools === undefined) return { folder, errors, warnings };
  const loaded = await whyNotRun(folder, tools);
  return { folder, errors: loaded.errors, warnings: [...warnings, ...loaded.warnings] };
}

async function whyNotRun(folder: string, tools: ToolChecker): Promise<SkillValidation> {
  const issue =
    (file: string | null) =>
    (message: string): SkillIssue => ({ file, line: null, message });
  const catalog = folderCatalog([{ path: folder, tier: 'local' }]);
  const [skill] = await catalog.list();
  if (skill === undefined) {
    const broken = await catalog.broken();
    return { errors: broken.map(({ problem }) => issue(null)(problem)), warnings: [] };
  }
  const tool = skill.sidecar.run === undefined ? undefined : asToolSkill(skill);
  if (tool === undefined) return { errors: [], warnings: [] };
  const { errors, warnings } = await tools.check(tool);
  return { errors: errors.map(issue('ambit.yaml')), warnings: warnings.map(issue('ambit.yaml')) };
}
