import { asToolSkill } from '@ambit/core/execute';
import { type SkillIssue, type SkillValidation, validateSkill } from '@ambit/core/inspect';
import { declaredRuns } from '@ambit/core/skill';
import { folderCatalog, type ToolChecker } from '@ambit/runtime';
import { readFolder } from './read-folder.ts';

/** The problems of one folder. Only errors make it invalid. */
export interface ValidatedFolder extends SkillValidation {
  folder: string;
}

/**
 * Reads a folder and validates it strictly. If it passes and `tools` is given, also makes the checks of loading and of a
 * call. If the folder cannot be read, that is its error.
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
  const found: SkillValidation = { errors: [], warnings: [] };
  for (const { name } of declaredRuns(skill)) {
    const tool = asToolSkill(skill, name);
    if (tool === undefined) continue;
    const { errors, warnings } = await tools.check(tool);
    found.errors.push(...errors.map(issue('ambit.yaml')));
    found.warnings.push(...warnings.map(issue('ambit.yaml')));
  }
  return found;
}
