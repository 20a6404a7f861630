import type { LintFinding } from '@ambit/core/inspect';
import type { Command } from 'commander';
import { type CommandContext, examples, flagsOf } from '../../command/command-context.ts';
import { plural } from '../../output/plural.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { type LintedFolder, lintFolder } from '../../skill-folders/lint-folder.ts';
import { chosenFolders } from '../../skill-folders/skill-folders.ts';

/** `ambit skills lint` */
export function addSkillsLint(skills: Command, context: CommandContext): void {
  skills
    .command('lint')
    .summary('suggest improvements to skills')
    .description(
      'Suggest improvements to skills: length, structure, examples, description and cost in tokens. Findings are advice and do not stop a skill from working. For errors, run ambit skills validate.',
    )
    .argument('[folders...]', 'skill folders, or folders of them (default: the configured ones)')
    .option('--strict', 'exit with 3 if there is any finding')
    .addHelpText(
      'after',
      examples(
        ['ambit skills lint ./my-skill', 'one folder'],
        ['ambit skills lint --strict ./skills', 'in CI'],
      ),
    )
    .action(async (folders: string[], _options, command: Command) => {
      const { flags, print } = flagsOf<{ strict?: boolean }>(context, command);
      const linted: LintedFolder[] = [];
      const chosen = await chosenFolders(context, flags, folders);
      for (const folder of chosen.folders) linted.push(await lintFolder(folder));
      const clean = linted.every(({ findings }) => findings.length === 0);
      if (print.json) print.document({ clean, folders: linted });
      else print.lines(...linted.flatMap((folder) => folderText(print, folder)), totals(linted));
      context.exitCode = flags.strict === true && !clean ? 3 : 0;
    });
}

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
