import type { LintFinding } from '@ambit/core/inspect';
import { defineCommand } from '../../command/define-command.ts';
import { plural } from '../../output/plural.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { type LintedFolder, lintFolder } from '../../skill-folders/lint-folder.ts';
import { chosenFolders } from '../../skill-folders/skill-folders.ts';

/** `ambit skills lint` */
export const skillsLint = defineCommand({
  name: 'skills lint',
  summary: 'suggest improvements to skills',
  description:
    'Suggest improvements to skills: length, structure, examples, description and cost in tokens. Findings are advice and do not stop a skill from working. For errors, run ambit skills validate.',
  args: {
    folders: {
      text: 'skill folders, or folders of them (default: the configured ones)',
      optional: true,
      variadic: true,
    },
  },
  options: { strict: { text: 'exit with 3 if there is any finding' } },
  examples: {
    'ambit skills lint ./my-skill': 'one folder',
    'ambit skills lint --strict ./skills': 'in CI',
  },
  async run(context, flags, { folders }) {
    const { print } = context;
    const linted: LintedFolder[] = [];
    const chosen = await chosenFolders(context, folders);
    for (const folder of chosen.folders) linted.push(await lintFolder(folder));
    const clean = linted.every(({ findings }) => findings.length === 0);
    if (print.json) print.document({ clean, folders: linted });
    else print.lines(...linted.flatMap((folder) => folderText(print, folder)), totals(linted));
    context.exitCode = flags.strict === true && !clean ? 3 : 0;
  },
});

function folderText(print: Printer, { folder, tokens, findings }: LintedFolder): string[] {
  const cost = `${tokens.metadata} tokens in the listing, ${tokens.body} in the body`;
  return [
    `${printableLine(folder)}  ${print.style('dim', cost)}`,
    ...findings.map((each) => findingText(print, each)),
  ];
}

function findingText(print: Printer, { rule, severity, file, line, message }: LintFinding): string {
  const grade = severity === 'warning' ? print.style('yellow', 'warning') : 'advice ';
  const place = line === null ? file : `${file}:${line}`;
  return `  ${grade}  ${printableLine(`${place}: ${message}`)} ${print.style('dim', `[${rule}]`)}`;
}

function totals(linted: readonly LintedFolder[]): string {
  const findings = linted.flatMap((folder) => folder.findings);
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  return `${plural(linted.length, 'skill')}: ${plural(warnings, 'warning')}, ${plural(findings.length - warnings, 'suggestion')}`;
}
