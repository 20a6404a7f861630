import type { Skill } from '@ambit/core';
import { issueText, type SkillIssue } from '@ambit/core/inspect';
import { circularSkills } from '@ambit/core/select';
import { defineCommand } from '../../command/define-command.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { chosenFolders } from '../../skill-folders/skill-folders.ts';
import { type ValidatedFolder, validateFolder } from '../../skill-folders/validate-folder.ts';

/** `ambit skills validate` */
export const skillsValidate = defineCommand({
  name: 'skills validate',
  summary: 'validate skill folders strictly',
  description:
    'Validate skill folders strictly and show every mistake: SKILL.md against the Agent Skills specification, ambit.yaml against its schema, and a tool with the checks of a call, without running it. Loading a skill is more lenient.',
  args: {
    folders: {
      text: 'skill folders, or folders of them (default: the configured ones)',
      optional: true,
      variadic: true,
    },
  },
  examples: {
    'ambit skills validate': 'every configured skill',
    'ambit skills validate ./my-skill': 'one folder',
  },
  async run(context, _flags, { folders }) {
    const { print } = context;
    const chosen = await chosenFolders(context, folders);
    const { openToolChecker } = await import('@ambit/server/local');
    const tools = openToolChecker();
    const validated = await Promise.all(
      chosen.folders.map((folder) => validateFolder(folder, tools)),
    ).finally(() => tools.close());
    const checked = withIssuesBetween(validated, chosen.skills);
    const valid = checked.every(({ errors }) => errors.length === 0);
    if (print.json) print.document({ valid, folders: checked.map(folderJson) });
    else print.lines(...checked.flatMap((folder) => folderText(print, folder)), totals(checked));
    context.exitCode = valid ? 0 : 3;
  },
});

/** Adds the issues that only several skills together show: circles of requirements, and aliases that conflict. */
function withIssuesBetween(folders: readonly ValidatedFolder[], skills: readonly Skill[]): ValidatedFolder[] {
  const circular = [...circularSkills(skills)];
  return folders.map((each) => {
    const found = circular.filter(([{ root }]) => root === each.folder);
    const errors = found.map(([, message]): SkillIssue => ({ file: 'ambit.yaml', line: null, message }));
    const warnings = skills.flatMap(({ root, aliasConflict }): SkillIssue[] =>
      root === each.folder && aliasConflict !== undefined
        ? [{ file: 'SKILL.md', line: null, message: aliasConflict }]
        : [],
    );
    return { ...each, errors: [...each.errors, ...errors], warnings: [...each.warnings, ...warnings] };
  });
}

function folderJson({ folder, errors, warnings }: ValidatedFolder): object {
  // `errors` and `warnings` have no lines, because programs compare these texts.
  const sentences = (issues: readonly SkillIssue[]): string[] =>
    issues.map((issue) => issueText({ ...issue, line: null }));
  const issues = [
    ...errors.map((issue) => ({ severity: 'error', ...issue })),
    ...warnings.map((issue) => ({ severity: 'warning', ...issue })),
  ];
  return { folder, errors: sentences(errors), warnings: sentences(warnings), issues };
}

function folderText(print: Printer, { folder, errors, warnings }: ValidatedFolder): string[] {
  const verdict = errors.length === 0 ? print.style('green', 'valid  ') : print.style('red', 'invalid');
  return [
    `${verdict}  ${printableLine(folder)}`,
    ...errors.map((error) => `         ${printableLine(issueText(error))}`),
    ...warnings.map(
      (warning) => `         ${print.style('yellow', 'warning:')} ${printableLine(issueText(warning))}`,
    ),
  ];
}

function totals(checked: readonly ValidatedFolder[]): string {
  const invalid = checked.filter(({ errors }) => errors.length > 0).length;
  return `${checked.length - invalid} valid, ${invalid} invalid`;
}
