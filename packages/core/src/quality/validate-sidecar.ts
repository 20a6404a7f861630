import { locateIssues } from '../skill/issues.ts';
import { Sidecar } from '../skill/sidecar.ts';
import { declaredRuns } from '../skill/skill.ts';
import { whyTooLarge } from '../skill/yaml-bounds.ts';
import type { CheckedFile } from './skill-folder.ts';
import type { RunIssue, SkillIssue } from './skill-issue.ts';
import { validateRun } from './validate-run.ts';
import { yamlLines } from './yaml-lines.ts';

/**
 * Validates the text of an `ambit.yaml` against its schema, and its `run` against the folder's
 * files. Never throws.
 */
export function validateSidecar(
  text: string,
  files: readonly CheckedFile[],
): { errors: SkillIssue[]; warnings: SkillIssue[] } {
  const issue = (line: number, message: string): SkillIssue => ({ file: 'ambit.yaml', line, message });
  const tooLarge = whyTooLarge(text);
  if (tooLarge !== undefined) return { errors: [issue(1, `the file ${tooLarge}`)], warnings: [] };
  const { value, problems, warnings, lineOf } = yamlLines(text);
  const located = ({ path, message }: RunIssue): SkillIssue =>
    issue(lineOf(path), `${path.join('.')}: ${message}`);
  if (problems.length > 0) {
    return {
      errors: problems.map(({ line, message }) => issue(line, `this is not YAML: ${message}`)),
      warnings: [],
    };
  }
  const parsed = Sidecar.safeParse(value ?? {});
  if (!parsed.success) {
    const issues = locateIssues(parsed.error, Sidecar, value);
    return { errors: issues.map(({ path, sentence }) => issue(lineOf(path), sentence)), warnings: [] };
  }
  const doubts = warnings.map(({ line, message }) => issue(line, `YAML: ${message}`));
  const found = declaredRuns({ sidecar: parsed.data }).map(({ name, run }) => {
    const { errors, warnings } = validateRun(run, files);
    const at = name === undefined ? ['run'] : ['run', 'scripts', name];
    const placed = ({ path, message }: RunIssue): SkillIssue =>
      located({ path: [...at, ...path.slice(1)], message });
    return { errors: errors.map(placed), warnings: warnings.map(placed) };
  });
  return {
    errors: found.flatMap(({ errors }) => errors),
    warnings: [...doubts, ...found.flatMap((each) => each.warnings)],
  };
}
